import { useMutation, useQuery } from "@tanstack/react-query";
import { mutationOptions } from "sallyport/tanstack-query";
import { BookScreen } from "./book-screen.tsx";
import { CartScreen } from "./cart-screen.tsx";
import { cartQuery, client, queryClient } from "./client.ts";
import { LogInScreen } from "./log-in-screen.tsx";
import { OrderNews } from "./order-news.tsx";
import { OrderScreen } from "./order-screen.tsx";
import { OrdersScreen } from "./orders-screen.tsx";
import { goTo, usePlace } from "./place.ts";
import { Screen } from "./screen.tsx";
import { SearchScreen } from "./search-screen.tsx";
import { useAccount } from "./use-account.ts";

/** The whole page: the header, and the screen that the address names. */
export const App = () => {
  const { path, query } = usePlace();
  const account = useAccount();
  const [name, id] = path;
  return (
    <>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          // the part of the address after # names the screen
          event.preventDefault();
          document.querySelector<HTMLElement>("h1")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header current={name} />
      {account && <OrderNews key={account.id} />}
      <main id="main" key={path.join("/")}>
        <CurrentScreen name={name} id={id} query={query} />
      </main>
      <footer>
        This shop is an example: nothing is sold. <a href="/docs">API documentation</a>
      </footer>
    </>
  );
};

interface ScreenProps {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

const CurrentScreen = ({ name, id, query }: ScreenProps) => {
  const account = useAccount();
  if (name === undefined) return <SearchScreen query={query} />;
  if (name === "books" && id !== undefined) return <BookScreen id={id} />;
  if (name === "log-in" || account === null) return <LogInScreen then={name} />;
  if (!account) return <p>Loading …</p>;
  if (name === "cart") return <CartScreen />;
  if (name === "orders") return id === undefined ? <OrdersScreen /> : <OrderScreen id={id} />;
  return (
    <Screen title="Nothing is here">
      <a href="#/">Look for books</a>
    </Screen>
  );
};

const Header = ({ current }: { readonly current: string | undefined }) => {
  const account = useAccount();
  const { data: cart } = useQuery({ ...cartQuery, enabled: Boolean(account) });
  const { mutate: logOut } = useMutation({
    ...mutationOptions(client, "delete /v2/session"),
    onSettled: () => {
      goTo("/");
      return queryClient.resetQueries();
    },
  });
  const count = account ? (cart?.items.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0) : 0;
  const links = [
    ["", "Books"],
    ["cart", count === 0 ? "Cart" : `Cart (${count})`],
    ["orders", "Orders"],
  ] as const;
  return (
    <header>
      <a className="brand" href="#/">
        Book shop
      </a>
      <nav aria-label="Main">
        {links.map(([name, text]) => (
          <a
            key={name}
            href={`#/${name}`}
            aria-current={(current ?? "") === name ? "page" : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      {account && (
        <span className="who">
          <span title={account.email}>{account.name}</span>
          <button onClick={() => logOut()}>Log out</button>
        </span>
      )}
      {account === null && (
        <span className="who">
          <a href="#/log-in">Log in</a>
        </span>
      )}
    </header>
  );
};
