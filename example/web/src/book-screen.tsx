import { useMutation, useQuery } from "@tanstack/react-query";
import { mutationOptions, queryOptions } from "sallyport/tanstack-query";
import { BookEditor } from "./book-editor.tsx";
import { cartQuery, client, type Book } from "./client.ts";
import { CoverUpload } from "./cover-upload.tsx";
import { Cover } from "./cover.tsx";
import { Failure, Field, Form } from "./form.tsx";
import { toMoney } from "./format.ts";
import { keepCart, toMost } from "./keep-cart.ts";
import { Loading, NotFoundScreen, Screen } from "./screen.tsx";
import { useLogInLink } from "./place.ts";
import { useAccount } from "./use-account.ts";
import { isMissing } from "./words.ts";

/** Shows a book. */
export default function BookScreen({ id }: { readonly id: string }) {
  const { data: book, error } = useQuery(queryOptions(client, "get /v2/books/:id", { id }));
  const account = useAccount();
  if (isMissing(error)) return <NotFoundScreen />;
  return (
    <Screen title={book?.title ?? "Book"}>
      <Failure error={error} />
      {!book && !error && <Loading />}
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
            {book.stock === 0 ? (
              <p>
                <strong>Sold out</strong>
              </p>
            ) : (
              <>
                <p>{book.stock} in stock</p>
                <CartForm book={book} />
              </>
            )}
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
}

const CartForm = ({ book }: { readonly book: Book }) => {
  const account = useAccount();
  const logInLink = useLogInLink();
  const { data: cart } = useQuery({ ...cartQuery, enabled: Boolean(account) });
  const { mutate, error, isPending, isSuccess } = useMutation({
    ...mutationOptions(client, "put /v2/cart/items/:bookId"),
    onSuccess: keepCart,
  });
  if (!account) return <a href={logInLink}>Log in to order</a>;
  const inCart = cart?.items.find(({ bookId }) => bookId === book.id)?.quantity;
  const most = toMost(book.stock);
  return (
    <>
      <Form
        submit={inCart === undefined ? "Put in the cart" : "Change the cart"}
        error={error}
        isPending={isPending}
        onSubmit={({ quantity }) => mutate({ bookId: book.id, quantity: Number(quantity) })}
      >
        <Field
          name="quantity"
          label="Quantity"
          type="number"
          min={1}
          max={most}
          defaultValue={inCart ?? 1}
          problem={`Enter a whole number from 1 to ${most}`}
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
