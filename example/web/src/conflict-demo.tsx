import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryOptions } from "sallyport/tanstack-query";
import { client, refresh, type Book } from "./client.ts";
import { DemoLog, useLog } from "./demo-log.tsx";
import { Failure, Field, Form } from "./form.tsx";
import { Loading } from "./screen.tsx";

type Add = ReturnType<typeof useLog>["add"];

/** Two editors of one book, of whom the slower one must not overwrite what the other has saved. */
export const ConflictDemo = () => {
  const { lines, add } = useLog();
  const { data, error } = useQuery(queryOptions(client, "get /v2/books", { limit: 1 }));
  const book = data?.books[0];
  return (
    <section>
      <h2>Two editors, no lost change</h2>
      <p>
        Both have read the same version of {book ? <em>{book.title}</em> : "a book"}. Save one, then
        the other: the second names a version that is no more, and gets 412 instead of overwriting.
      </p>
      <Failure error={error} />
      {!book && !error && <Loading />}
      {book && (
        <div className="editors">
          {["Ada", "Grace"].map((name) => (
            <Editor key={name} name={name} book={book} add={add} />
          ))}
        </div>
      )}
      <DemoLog label="Changes" lines={lines} />
    </section>
  );
};

interface EditorProps {
  readonly name: string;
  readonly book: Book;
  readonly add: Add;
}

const Editor = ({ name, book, add }: EditorProps) => {
  const { id } = book;
  // what this editor has read, however old
  const [{ version, stock }, setRead] = useState<Pick<Book, "stock" | "version">>(book);
  const save = useMutation({
    mutationFn: async (stock: number) => {
      const headers = { "if-match": `"${version}"` };
      const reply = await client.request("patch /admin/books/:id", { id, stock }, { headers });
      const said = reply.ok ? `ETag: ${reply.headers.get("etag")}` : "somebody else was first";
      add(
        `${name}: PATCH, If-Match: "${version}" → ${reply.response.status}, ${said}`,
        reply.ok ? "good" : "bad",
      );
      if (!reply.ok) return;
      setRead(reply.body);
      await refresh("/v2/books");
    },
  });
  const read = useMutation({
    mutationFn: async () => {
      const reply = await client.request("get /admin/books/:id", { id });
      if (!reply.ok) return;
      setRead(reply.body);
      add(`${name}: GET → 200, ETag: ${reply.headers.get("etag")}`);
    },
  });
  return (
    <div>
      <h3>
        {name} has read version {version}
      </h3>
      <Form
        submit={`Save for ${name}`}
        error={save.error}
        isPending={save.isPending}
        onSubmit={({ stock }) => save.mutate(Number(stock))}
      >
        <Field
          name="stock"
          label={`Stock, as ${name} sees it`}
          type="number"
          min={0}
          defaultValue={stock}
          problem="Enter a whole number, 0 or more"
        />
      </Form>
      <button className="link" onClick={() => read.mutate()}>
        Read it again for {name}
      </button>
      <Failure error={read.error} />
    </div>
  );
};
