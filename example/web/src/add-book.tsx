import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { client, refresh } from "./client.ts";
import { Field, Form } from "./form.tsx";

/** Adds a book, for administrators. */
export const AddBook = () => {
  const [generation, setGeneration] = useState(0);
  const { mutate, data, error, isPending } = useMutation({
    ...mutationOptions(client, "post /admin/books"),
    onSuccess: () => {
      // empties the fields
      setGeneration(generation + 1);
      return Promise.all([refresh("/v2/books"), refresh("/v2/categories")]);
    },
  });
  return (
    <section>
      <h2>Add a book</h2>
      <Form
        key={generation}
        submit="Add the book"
        error={error}
        isPending={isPending}
        onSubmit={({ price, stock, ...texts }) =>
          mutate({
            ...{ isbn: "", title: "", author: "", category: "", ...texts },
            price: Math.round(Number(price) * 100),
            stock: Number(stock),
          })
        }
      >
        <div className="columns">
          <Field name="title" label="Title" maxLength={200} problem="Enter the title" />
          <Field name="author" label="Author" maxLength={200} problem="Enter the author" />
          <Field
            name="isbn"
            label="ISBN"
            inputMode="numeric"
            pattern="97[89][0-9]{10}"
            problem="Enter 13 digits that begin with 978 or 979"
          />
          <Field name="category" label="Category" maxLength={50} problem="Enter the category" />
          <Field
            name="price"
            label="Price in €"
            type="number"
            min="0.01"
            max={10_000}
            step="0.01"
            problem="Enter a price from €0.01 to €10,000"
          />
          <Field
            name="stock"
            label="Stock"
            type="number"
            min={0}
            problem="Enter a whole number, 0 or more"
          />
        </div>
        <Field
          name="description"
          label="Description"
          isLong
          required={false}
          maxLength={5000}
          problem="Use at most 5000 characters"
        />
      </Form>
      <p role="status">
        {data && (
          <>
            <a href={`#/books/${data.id}`}>{data.title}</a> is added
          </>
        )}
      </p>
    </section>
  );
};
