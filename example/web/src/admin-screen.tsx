import { useMutation } from "@tanstack/react-query";
import { ReplyError } from "sallyport/client";
import { mutationOptions } from "sallyport/tanstack-query";
import { AddBook } from "./add-book.tsx";
import { AllOrders } from "./all-orders.tsx";
import { client, refresh } from "./client.ts";
import { NotFoundScreen, Screen } from "./screen.tsx";
import { useAccount } from "./use-account.ts";
import { toWords } from "./words.ts";

/** Adds, exports and imports books, and lists all orders, for administrators. */
export default function AdminScreen() {
  // what administrators alone may see is nothing to others
  if (useAccount()?.role !== "admin") return <NotFoundScreen />;
  return (
    <Screen title="Administration">
      <div className="columns">
        <section>
          <h2>Export</h2>
          <p>All books with their prices and stock, as a CSV file for a spreadsheet.</p>
          <a className="button" href="/admin/books.csv" download>
            Download books.csv
          </a>
        </section>
        <BookImport />
        <section>
          <h2>One book</h2>
          <p>
            To change the price, the stock or the cover of a book, go to <a href="#/">the book</a>.
          </p>
        </section>
      </div>
      <div className="stack">
        <AddBook />
        <AllOrders />
      </div>
    </Screen>
  );
}

/** A row of a CSV that is wrong. */
interface WrongRow {
  readonly row: number;
  readonly detail: string;
}

const toWrongRows = (error: unknown): readonly WrongRow[] =>
  error instanceof ReplyError
    ? ((error.body as { readonly data?: readonly WrongRow[] } | undefined)?.data ?? [])
    : [];

const BookImport = () => {
  const { mutate, data, error, isPending, reset } = useMutation({
    ...mutationOptions(client, "post /admin/books/import"),
    onSuccess: () => Promise.all([refresh("/v2/books"), refresh("/v2/categories")]),
  });
  const rows = toWrongRows(error);
  return (
    <section>
      <h2>
        <label htmlFor="csv">Import</label>
      </h2>
      <p>
        A file with the same columns. New ISBNs are added, known ones changed; all rows or none.
      </p>
      <input
        id="csv"
        type="file"
        accept=".csv,text/csv"
        aria-invalid={error !== null}
        aria-describedby="csv-state"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file && file.size > 0) mutate({ raw: file });
          else reset();
          // the same file can be chosen again once it has been mended
          target.value = "";
        }}
      />
      <p id="csv-state" role="status" className={error ? "error" : undefined}>
        {isPending && "The file is being imported …"}
        {error &&
          (rows.length > 0 ? "Nothing was changed, because rows are wrong:" : toWords(error))}
        {data && `${data.created} added, ${data.changed} changed`}
      </p>
      {rows.length > 0 && (
        <ul className="error">
          {rows.map(({ row, detail }) => (
            <li key={`${row} ${detail}`}>
              Row {row}: {detail}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
