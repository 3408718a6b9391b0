import { useLayoutEffect, useMemo, useSyncExternalStore } from "react";

/** What the address names after its #, such as `#/books/1?q=x`. */
export interface Place {
  /** The segments of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const subscribe = (onChange: () => void): (() => void) => {
  addEventListener("hashchange", onChange);
  return () => removeEventListener("hashchange", onChange);
};

const readHash = (): string => location.hash;

/** Returns the place that is displayed. */
export const usePlace = (): Place => {
  const hash = useSyncExternalStore(subscribe, readHash);
  return useMemo(() => {
    const [path = "", query] = hash.slice(1).split("?", 2);
    return {
      path: path.split("/").filter((segment) => segment !== ""),
      query: new URLSearchParams(query),
    };
  }, [hash]);
};

/** Goes to a place. */
export const goTo = (place: string): void => {
  location.hash = place;
};

/** Changes the place without a step in the history. */
export const changePlace = (place: string): void => location.replace(`#${place}`);

/** Returns the address of the log-in screen that leads back to the place which is displayed. */
export const useLogInLink = (): string => {
  const here = useSyncExternalStore(subscribe, readHash).slice(1);
  return here === "" || here.startsWith("/log-in")
    ? "#/log-in"
    : `#/log-in?then=${encodeURIComponent(here)}`;
};

/** Keeps in the history how far each place was scrolled, and returns there; new places begin at the top. */
export const useScroll = (path: string): void => {
  useLayoutEffect(() => {
    history.scrollRestoration = "manual";
    scrollTo(0, (history.state as { readonly scroll?: number } | null)?.scroll ?? 0);
    const keep = () => history.replaceState({ scroll: scrollY }, "");
    addEventListener("scrollend", keep);
    // clicks change the place before a smooth scroll has ended
    addEventListener("click", keep, { capture: true });
    return () => {
      removeEventListener("scrollend", keep);
      removeEventListener("click", keep, { capture: true });
    };
  }, [path]);
};
