import { useMutation, useQuery } from "@tanstack/react-query";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { BookEditor } from "./book-editor.tsx";
import { cartQuery, client, type Book } from "./client.ts";
import { CoverUpload } from "./cover-upload.tsx";
import { Cover } from "./cover.tsx";
import { Failure, Field, Form } from "./form.tsx";
import { toMoney } from "./format.ts";
import { keepCart } from "./keep-cart.ts";
import { Screen } from "./screen.tsx";
import { useAccount } from "./use-account.ts";

/** Shows a book. */
export const BookScreen = ({ id }: { readonly id: string }) => {
  const { data: book, error } = useQuery(queryOptions(client, "get /v2/books/:id", { id }));
  const account = useAccount();
  return (
    <Screen title={book?.title ?? "Book"}>
      <Failure error={error} />
      {book && (
        <div className="book">
          <Cover book={book} />
          <div>
            <p className="author">{book.author}</p>
            <p>
              <a href={`#/?category=${encodeURIComponent(book.category)}`}>{book.category}</a>
            </p>
            {book.description !== "" && <p>{book.description}</p>}
            <p className="price">{toMoney(book.price)}</p>
            <p>{book.stock === 0 ? "Sold out" : `${book.stock} in stock`}</p>
            <CartForm book={book} />
          </div>
        </div>
      )}
      {book && account?.role === "admin" && (
        <div className="columns">
          <BookEditor book={book} />
          <CoverUpload book={book} />
        </div>
      )}
    </Screen>
  );
};

const CartForm = ({ book }: { readonly book: Book }) => {
  const account = useAccount();
  const { data: cart } = useQuery({ ...cartQuery, enabled: Boolean(account) });
  const { mutate, error, isPending, isSuccess } = useMutation({
    ...mutationOptions(client, "put /v2/cart/items/:bookId"),
    onSuccess: keepCart,
  });
  if (!account) return <a href="#/log-in">Log in to order</a>;
  const inCart = cart?.items.find(({ bookId }) => bookId === book.id)?.quantity;
  return (
    <>
      <Form
        submit={inCart === undefined ? "Put in the cart" : "Change the cart"}
        error={error}
        isPending={isPending}
        onSubmit={({ quantity }) => mutate({ bookId: book.id, quantity: Number(quantity) })}
      >
        <Field
          key={inCart}
          name="quantity"
          label="Quantity"
          type="number"
          min={1}
          max={100}
          defaultValue={inCart ?? 1}
        />
      </Form>
      <p role="status">
        {isSuccess && (
          <>
            {inCart} in the <a href="#/cart">cart</a>
          </>
        )}
      </p>
    </>
  );
};
