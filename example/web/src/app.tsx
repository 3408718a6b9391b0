import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { mutationOptions } from "sallyport/tanstack-query";
import { cartQuery, client, queryClient, sessionQuery } from "./client.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { LoadFailure } from "./load-failure.tsx";
import { OrderNews } from "./order-news.tsx";
import { goTo, useLogInLink, usePlace, useScroll } from "./place.ts";
import { Loading, NotFoundScreen } from "./screen.tsx";
import { SearchScreen } from "./search-screen.tsx";
import { useAccount } from "./use-account.ts";

// the front page comes first, and each other screen when it is needed
const AccountScreen = lazy(() => import("./account-screen.tsx"));
const AdminScreen = lazy(() => import("./admin-screen.tsx"));
const loadBookScreen = () => import("./book-screen.tsx");
const BookScreen = lazy(loadBookScreen);
const CartScreen = lazy(() => import("./cart-screen.tsx"));
const HowScreen = lazy(() => import("./how-screen.tsx"));
const LogInScreen = lazy(() => import("./log-in-screen.tsx"));
const OrderScreen = lazy(() => import("./order-screen.tsx"));
const OrdersScreen = lazy(() => import("./orders-screen.tsx"));

/** The whole page: the header, and the screen that the address names. */
export const App = () => {
  const { path, query } = usePlace();
  const account = useAccount();
  const place = path.join("/");
  useScroll(place);
  useEffect(() => {
    // most people's next screen; it is there even if the shop goes down now
    void loadBookScreen().catch(() => undefined);
  }, []);
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
      <Header current={path[0]} />
      <ConnectionBanner />
      {account && <OrderNews key={account.id} />}
      <main id="main" key={place}>
        <LoadFailure>
          <Suspense fallback={<Loading />}>
            <CurrentScreen path={path} query={query} />
          </Suspense>
        </LoadFailure>
      </main>
      <footer>
        This shop is an example: nothing is sold. <a href="#/how">How it works</a>{" "}
        <a href="/docs">API documentation</a>
      </footer>
    </>
  );
};

/** The other screens that need an account, by the name in their address. */
const privateScreens = new Map([
  ["account", AccountScreen],
  ["admin", AdminScreen],
  ["cart", CartScreen],
]);

interface ScreenProps {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const CurrentScreen = ({ path, query }: ScreenProps) => {
  const account = useAccount();
  const [name, id, more] = path;
  if (name === undefined) return <SearchScreen query={query} />;
  if (name === "books" && id !== undefined && more === undefined) return <BookScreen id={id} />;
  if (name === "orders" && more === undefined) {
    if (!account) return <LogInFirst />;
    return id === undefined ? <OrdersScreen /> : <OrderScreen id={id} />;
  }
  if (id !== undefined) return <NotFoundScreen />;
  if (name === "how") return <HowScreen />;
  if (name === "log-in") return <LogInScreen then={query.get("then") ?? "/"} />;
  const PrivateScreen = privateScreens.get(name);
  if (!PrivateScreen) return <NotFoundScreen />;
  return account ? <PrivateScreen /> : <LogInFirst />;
};

/** What is displayed at the address of a screen that needs an account. */
const LogInFirst = () => (useAccount() === null ? <LogInScreen /> : <Loading />);

const Header = ({ current }: { readonly current: string | undefined }) => {
  const account = useAccount();
  const logInLink = useLogInLink();
  const { data: cart } = useQuery({ ...cartQuery, enabled: Boolean(account) });
  const { mutate: logOut } = useMutation({
    ...mutationOptions(client, "delete /v2/session"),
    onSettled: async () => {
      goTo("/");
      // takes everything off the page that only the account may see, before anything is fetched again
      await queryClient.resetQueries({ queryKey: sessionQuery.queryKey });
      queryClient.removeQueries({ type: "inactive" });
    },
  });
  const count = account ? (cart?.items.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0) : 0;
  const links = [
    ["", "Books"],
    ["cart", count === 0 ? "Cart" : `Cart (${count})`],
    ["orders", "Orders"],
    ["how", "How it works"],
    ...(account?.role === "admin" ? [["admin", "Administration"] as const] : []),
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
          <a href="#/account" title={account.email}>
            {account.name}
          </a>
          <button onClick={() => logOut()}>Log out</button>
        </span>
      )}
      {account === null && (
        <span className="who">
          <a href={logInLink}>Log in</a>
        </span>
      )}
    </header>
  );
};
