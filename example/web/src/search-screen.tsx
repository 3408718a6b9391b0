import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { infiniteQueryOptions, queryOptions } from "sallyport/tanstack-query";
import { client, type Book } from "./client.ts";
import { Cover } from "./cover.tsx";
import { Failure } from "./form.tsx";
import { toMoney } from "./format.ts";
import { MoreButton } from "./more-button.tsx";
import { changePlace } from "./place.ts";
import { Screen } from "./screen.tsx";

const sorts = {
  title: "Title",
  price: "Price, lowest first",
  "-price": "Price, highest first",
  newest: "Newest first",
} as const;
type Sort = keyof typeof sorts;

/** Converts what is searched for to a part of the address. */
const toText = (form: HTMLFormElement): string => {
  const entries = [...new FormData(form)] as [string, string][];
  const isSaid = ([name, value]: [string, string]) =>
    value.trim() !== "" && !(name === "sort" && value === "title");
  return new URLSearchParams(entries.filter(isSaid)).toString();
};

/** Searches books; the address holds what is searched for, so that it can be kept and sent. */
export const SearchScreen = ({ query }: { readonly query: URLSearchParams }) => {
  const text = query.toString();
  const category = query.get("category") ?? undefined;
  const isInStock = query.has("inStock");
  const asked = query.get("sort") ?? "";
  const sort = Object.hasOwn(sorts, asked) ? (asked as Sort) : "title";
  const search = useInfiniteQuery({
    ...infiniteQueryOptions(client, "get /v2/books", {
      limit: 12,
      q: query.get("q")?.slice(0, 100),
      category,
      inStock: isInStock ? "true" : undefined,
      sort,
    }),
    // keeps the books visible while others are looked for
    placeholderData: keepPreviousData,
  });
  const { data: { categories } = { categories: [] } } = useQuery(
    queryOptions(client, "get /v2/categories"),
  );
  const form = useRef<HTMLFormElement>(null);
  const [generation, setGeneration] = useState(0);
  useEffect(() => {
    const { current } = form;
    // a link to another search fills the form anew; what someone is typing stays
    if (current && !current.contains(document.activeElement) && toText(current) !== text)
      setGeneration((before) => before + 1);
  }, [text]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // a search that has not begun must not pull back someone who has gone to a book
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (form: HTMLFormElement) => {
    clearTimeout(timer.current);
    changePlace(`/?${toText(form)}`);
  };
  const books = search.data?.pages.flatMap(({ books }) => books) ?? [];
  const total = search.data?.pages.at(-1)?.total;
  return (
    <Screen title="Books">
      <search>
        <form
          className="filters"
          key={generation}
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            change(event.currentTarget);
          }}
          onChange={({ currentTarget }) => {
            clearTimeout(timer.current);
            timer.current = setTimeout(change, 250, currentTarget);
          }}
        >
          <div className="field">
            <label htmlFor="q">Title or author</label>
            <input
              id="q"
              name="q"
              type="search"
              maxLength={100}
              defaultValue={query.get("q") ?? ""}
            />
          </div>
          <div className="field">
            <label htmlFor="category">Category</label>
            <select id="category" name="category" defaultValue={category} key={categories.length}>
              <option value="">All</option>
              {categories.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor="sort">Sorted by</label>
            <select id="sort" name="sort" defaultValue={sort}>
              {Object.entries(sorts).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          </div>
          <label className="check">
            <input type="checkbox" name="inStock" defaultChecked={isInStock} /> In stock
          </label>
        </form>
      </search>
      <p role="status">{total === undefined ? !search.error && "Loading …" : toCount(total)}</p>
      <Failure error={search.error} />
      <ul className="books" aria-busy={search.isFetching}>
        {search.isPending && Array.from({ length: 6 }, (_, index) => <CardOutline key={index} />)}
        {books.map((book) => (
          <BookCard key={book.id} book={book} />
        ))}
      </ul>
      <MoreButton list={search}>Show more books</MoreButton>
    </Screen>
  );
};

const toCount = (total: number): string => {
  if (total === 0) return "No book matches: try another word or category";
  return `${total} ${total === 1 ? "book" : "books"}`;
};

const BookCard = ({ book }: { readonly book: Book }) => (
  <li>
    <a href={`#/books/${book.id}`}>
      <Cover book={book} />
      <strong>{book.title}</strong>
      <span>{book.author}</span>
      <span className="price">
        {toMoney(book.price)}
        {book.stock === 0 && <em> sold out</em>}
      </span>
    </a>
  </li>
);

/** Where a book will be. */
const CardOutline = () => (
  <li className="outline" aria-hidden="true">
    <span className="cover" />
    <span className="line" />
    <span className="line" />
  </li>
);
