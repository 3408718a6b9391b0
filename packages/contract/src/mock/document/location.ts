import { isObject, readOwn, toText, type ApiDescription } from "@sallyport/document";
import type { Json, Operation } from "@sallyport/document";

/** Returns the path of what a reply is about: below the path of the request, it ends in the id that the body has. */
export const toLocation = (
  { operations }: ApiDescription,
  { path }: Operation,
  sent: string,
  body: Json | undefined,
): string => {
  const base = path.replace(/\/$/, "");
  const names = Object.values(operations).flatMap((one) =>
    one.path.startsWith(`${base}/{`)
      ? (/^\{([^{}/]+)\}$/.exec(one.path.slice(base.length + 1))?.[1] ?? [])
      : [],
  );
  const parts = [body, isObject(body) ? body["data"] : undefined].filter(isObject);
  const id = [...names, "id"]
    .flatMap((name) => parts.map((part) => readOwn(part, name)))
    .find((one) => typeof one === "number" || (typeof one === "string" && one !== ""));
  const start = sent.replace(/\/$/, "");
  if (id === undefined) return `${start}/1`;
  const end = `/${encodeURIComponent(toText(id))}`;
  // what was put at its own path
  return start.endsWith(end) ? start : `${start}${end}`;
};
