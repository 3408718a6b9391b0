import { readFileSync } from "node:fs";

/** The modules of the client in the order in which they import each other, and what they export. */
const modules = [
  ...["call-options", "client-errors", "reply-types", "encode-input", "method-patterns"],
  ...["build-request", "pages", "send-request", "read-reply", "subscribe", "client"],
  ...["generated-client", "index", "keyed-routes"],
];

/** Begins the types that only a client whose routes take idempotency keys uses. */
export const keyedMark = "\n\n// idempotency keys\n";

/** Drops each part of a text from an opening up to its closing, which stays. */
export const dropBetween = (text: string, opening: string, closing: string): string => {
  const [start, ...others] = text.split(opening);
  return [start, ...others.map((part) => part.slice(part.indexOf(closing)))].join("");
};

/** Joins the modules of the client in a folder. */
export const joinModules = (folder: URL): string =>
  modules
    .map((name) => {
      const text = readFileSync(new URL(`${name}.ts`, folder), "utf8");
      const [source = ""] = text.split("// the inferred client alone\n");
      return dropBetween(source, ' from "', ";")
        .replaceAll(/^import [^;]*;\n/gm, "")
        .replaceAll(/^export (?=async|class|const|function|interface|type \w)/gm, "")
        .replaceAll(/^ *\/\/ oxlint-disable.*\n/gm, "")
        .trim();
    })
    .join("\n\n");
