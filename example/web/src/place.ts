import { useMemo, useSyncExternalStore } from "react";

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

/** Returns the place that is displayed. */
export const usePlace = (): Place => {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
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
