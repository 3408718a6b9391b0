import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { client, hasStatus, refresh, type Book } from "./client.ts";
import { Field, Form } from "./form.tsx";

/** Changes the price and the stock of a book, unless somebody else has changed it since it was displayed. */
export const BookEditor = ({ book }: { readonly book: Book }) => {
  // the book that the fields show: a sale meanwhile must not go unseen
  const [shown, show] = useState(book);
  const { id, price, stock } = shown;
  const isSame = book.price === price && book.stock === stock;
  const version = isSame ? Math.max(book.version, shown.version) : shown.version;
  const { mutate, error, isPending, isSuccess, reset } = useMutation({
    ...mutationOptions(client, "patch /admin/books/:id", {
      headers: { "if-match": `"${version}"` },
    }),
    onSuccess: (changed) => {
      show(changed);
      return refresh("/v2/books");
    },
    onError: () => refresh("/v2/books"),
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
        <div className="columns" key={shown.version}>
          <Field
            name="price"
            label="Price in €"
            type="number"
            step="0.01"
            defaultValue={(price / 100).toFixed(2)}
          />
          <Field name="stock" label="Stock" type="number" defaultValue={stock} />
        </div>
      </Form>
      {hasChanged && (
        <p className="error" role="alert">
          Somebody else has changed this book.{" "}
          <button
            onClick={() => {
              show(book);
              reset();
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
