import type { CSSProperties } from "react";
import type { Book } from "./client.ts";

/** The cover of a book, or its title on a colour of its own. */
export const Cover = ({ book: { id, title, author, cover } }: { readonly book: Book }) => {
  if (cover !== null)
    return <img className="cover" src={cover} alt={`Cover of ${title}`} loading="lazy" />;
  const style = { "--hue": Number.parseInt(id.slice(-4), 16) % 360 } as CSSProperties;
  return (
    <span className="cover blank" style={style} aria-hidden="true">
      <b>{title}</b>
      <small>{author}</small>
    </span>
  );
};
