import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { client, hasStatus, queryClient, refresh, type Book } from "./client.ts";
import { Field, Form } from "./form.tsx";
import { focusHeading } from "./screen.tsx";

/** Changes the price and the stock of a book, unless somebody else has changed it since someone began to type. */
export const BookEditor = ({ book }: { readonly book: Book }) => {
  // the book that someone is changing: a sale meanwhile must not go unseen
  const [kept, keep] = useState<Book>();
  const shown = kept ?? book;
  const { id, price, stock } = shown;
  // what else has changed, such as the cover, does not matter here
  const { version } = book.price === price && book.stock === stock ? book : shown;
  const [generation, setGeneration] = useState(0);
  const { mutate, error, isPending, isSuccess, reset } = useMutation({
    ...mutationOptions(client, "patch /admin/books/:id", {
      headers: { "if-match": `"${version}"` },
    }),
    onSuccess: (changed) => {
      queryClient.setQueryData(queryOptions(client, "get /v2/books/:id", { id }).queryKey, changed);
      keep(undefined);
    },
    onSettled: () => refresh("/v2/books"),
  });
  const hasChanged = hasStatus(error, 412);
  return (
    <section>
      <h2>Price and stock</h2>
      <Form
        submit="Save"
        error={hasChanged ? undefined : error}
        isPending={isPending}
        onSubmit={({ price, stock }) =>
          mutate({ id, price: Math.round(Number(price) * 100), stock: Number(stock) })
        }
      >
        <div className="columns" key={generation} onInput={() => keep(shown)}>
          <Field
            name="price"
            label="Price in €"
            type="number"
            min="0.01"
            max={10_000}
            step="0.01"
            defaultValue={(price / 100).toFixed(2)}
            problem="Enter a price from €0.01 to €10,000"
          />
          <Field
            name="stock"
            label="Stock"
            type="number"
            min={0}
            defaultValue={stock}
            problem="Enter a whole number, 0 or more"
          />
        </div>
      </Form>
      {hasChanged && (
        <p className="error" role="alert">
          Somebody else has changed this book.{" "}
          <button
            onClick={() => {
              keep(undefined);
              // what was typed makes way for the change
              setGeneration(generation + 1);
              reset();
              focusHeading();
            }}
          >
            Show the change
          </button>
        </p>
      )}
      <p role="status">{isSuccess && "Saved"}</p>
    </section>
  );
};
