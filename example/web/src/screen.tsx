import { useEffect, useRef, type ReactNode } from "react";

let isFirst = true;

/** Gives the heading the focus, for example when the button that had it is gone. */
export const focusHeading = (): void =>
  document.querySelector("h1")?.focus({ preventScroll: true });

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

/** A screen with its heading, which gets the focus when the screen replaces another one. */
export const Screen = ({ title, children }: Props) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Book shop`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
};

/** What is displayed if nothing is at an address. */
export const NotFoundScreen = () => (
  <Screen title="Not found">
    <p>There is nothing at this address.</p>
    <a href="#/">Look for books</a>
  </Screen>
);

/** What is displayed until something has been fetched. */
export const Loading = () => (
  <p className="loading" role="status">
    Loading …
  </p>
);
