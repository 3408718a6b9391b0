import { useEffect, useRef, type ReactNode } from "react";

let isFirst = true;

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
    if (!isFirst) heading.current?.focus();
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
