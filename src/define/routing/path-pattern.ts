import { RequestError, RoutingError } from "../../basics/errors.ts";

export interface Segment {
  readonly kind: "literal" | "parameters" | "rest";
  readonly names: readonly string[];
  /** The literals around the parameters, one more than there are names. */
  readonly around: readonly string[];
}

/** The names of the parameters in a path or a key of a routing map: `"a" | "b"` for `x/:a/:b`. */
export type ParametersOf<Path> = Path extends `${string}:${infer Rest}`
  ? NameOf<Rest> | ParametersOf<Rest>
  : WildcardOf<Path>;

/** The name of the wildcard that ends a path. */
export type WildcardOf<Path> = Path extends `${string}*${infer Name}` ? Exclude<Name, ""> : never;

/** The characters that end the name of a parameter. */
type Delimiter =
  | ("/" | "-" | "." | ":" | "~" | "," | "@" | "+")
  | ("=" | ";" | "%" | " " | "!" | "&" | "'" | "*" | "?" | "(" | "{");

/** The name at the start of a string. */
type NameOf<Text extends string> = Text extends `${infer Name}${Delimiter}${string}`
  ? NameOf<Name>
  : Text;

const parameter = /:([A-Za-z_$][\w$]*)/g;
const reserved = /[?*(){}#\\]/;

const refuse = (path: string, reason: string): never => {
  throw new RoutingError("SLP_ROUTING_PATH_SYNTAX", `The path "${path}" ${reason}`, { path });
};

export const parsePathPattern = (path: string): readonly Segment[] => {
  if (/\p{Cs}/u.test(path))
    // as JSON, because a lone surrogate is not printable
    refuse(JSON.stringify(path).slice(1, -1), "has a lone surrogate, which URLs cannot contain.");
  const parts = path.split("/").filter((part) => part !== "");
  const segments = parts.map((part, index) => parseSegment(path, part, index === parts.length - 1));
  const names = segments.flatMap((segment) => segment.names);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    refuse(path, `has the parameter :${repeated} twice; rename one of them.`);
  if (names.includes("__proto__")) refuse(path, "must not have a parameter named __proto__.");
  return segments;
};

const parseSegment = (path: string, part: string, isLast: boolean): Segment => {
  const rest = /^\*([A-Za-z_$][\w$]*)$/.exec(part)?.[1];
  if (rest !== undefined)
    return isLast
      ? { kind: "rest", names: [rest], around: ["", ""] }
      : refuse(path, `has "${part}" before its end; a wildcard matches the rest of the path.`);
  const special = reserved.exec(part)?.[0];
  if (special !== undefined)
    refuse(
      path,
      `has the reserved character "${special}": there are no optional, repeated or pattern segments. Declare a route for each form, use :name for a segment, or *name for the rest of the path.`,
    );
  const names = [...part.matchAll(parameter)].map((match) => match[1] ?? "");
  const texts = part.split(parameter).filter((_text, index) => index % 2 === 0);
  if (texts.some((text) => text.includes(":")))
    refuse(path, `has a parameter without a name in "${part}"; write :name.`);
  const around = texts.map((text) => decodeText(path, text));
  if (names.length === 0 && /^\.{1,2}$/.test(around.join("")))
    refuse(path, `has the dot segment "${part}", which no request matches; remove it.`);
  if (around.slice(1, -1).includes(""))
    refuse(
      path,
      `has two parameters side by side in "${part}"; put a literal such as - between them.`,
    );
  return { kind: names.length === 0 ? "literal" : "parameters", names, around };
};

const decodeText = (path: string, text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse(path, `contains malformed percent-encoding in "${text}".`);
  }
};

/**
 * Extracts the parameters from a segment of a request; returns undefined if the segment does not match. Each literal is
 * searched for once, from left to right, so the cost is linear in the segment's length.
 *
 * @param literal the segment as the literals are compared with it
 */
export const matchParameters = (
  around: readonly string[],
  segment: string,
  literal = segment,
): readonly string[] | undefined => {
  const first = around[0] ?? "";
  const last = around.at(-1) ?? "";
  if (!literal.startsWith(first) || !literal.endsWith(last)) return undefined;
  const end = segment.length - last.length;
  const values: string[] = [];
  let start = first.length;
  for (let index = 1; index < around.length - 1; index++) {
    const text = around[index] ?? "";
    const at = literal.indexOf(text, start + 1);
    if (at < 0 || at + text.length > end) return undefined;
    values.push(segment.slice(start, at));
    start = at + text.length;
  }
  if (start >= end) return undefined;
  values.push(segment.slice(start, end));
  return values;
};

/** @throws {@link RequestError} when the percent-encoding of a segment of a request is malformed. */
export const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new RequestError("SLP_PATH_MALFORMED", { cause });
  }
};
