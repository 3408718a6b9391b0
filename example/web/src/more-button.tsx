import { useEffect, useRef, type ReactNode } from "react";

interface Props {
  /** An infinite query. */
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetching: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

/** Fetches the next page of a list when it scrolls into view, or when it is pressed. */
export const MoreButton = ({ list, children }: Props) => {
  const button = useRef<HTMLButtonElement>(null);
  const { hasNextPage, isFetching, fetchNextPage } = list;
  useEffect(() => {
    if (!button.current || isFetching) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void fetchNextPage();
      },
      { rootMargin: "200px" },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [hasNextPage, isFetching, fetchNextPage]);
  if (!hasNextPage) return undefined;
  return (
    <button ref={button} aria-disabled={isFetching} onClick={() => void fetchNextPage()}>
      {children}
    </button>
  );
};
