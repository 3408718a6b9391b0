import { ConflictDemo } from "./conflict-demo.tsx";
import { EventsDemo } from "./events-demo.tsx";
import { useLogInLink } from "./place.ts";
import { RetryDemo } from "./retry-demo.tsx";
import { Screen } from "./screen.tsx";
import { useAccount } from "./use-account.ts";

/** Shows what the framework does behind the shop, with real requests. */
export default function HowScreen() {
  const account = useAccount();
  const logInLink = useLogInLink();
  return (
    <Screen title="How it works">
      <p>
        This page is written with the typed client of sallyport: a field that the server renames is
        a compile error here. What follows sends real requests to this shop.
      </p>
      {account ? (
        <div className="demos">
          <EventsDemo />
          <RetryDemo />
        </div>
      ) : (
        <p>
          <a href={logInLink}>Log in</a> to try the events and the retries.
        </p>
      )}
      {account?.role === "admin" ? (
        <ConflictDemo />
      ) : (
        <section>
          <h2>Two editors, no lost change</h2>
          <p>Log in as the administrator to change one book from two sides.</p>
        </section>
      )}
    </Screen>
  );
}
