import fc from "fast-check";
import {
  bytes,
  decodeUtf8,
  goodCases,
  goodJson,
  goodMultipart,
  fileContent,
  jsonSchema,
  mutationsOf,
  pathSchema,
  textSchema,
  toBytes,
  toField,
  toFile,
  toMultipart,
  wrongTypeCases,
  type Case,
  type Kind,
} from "./fuzz-cases.ts";

// JSON bodies

const isBadJson = (body: Uint8Array): boolean => {
  const text = decodeUtf8(body);
  if (text === undefined) return true;
  try {
    return !jsonSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return true;
  }
};

const oddJson = ['"', "{", "}", "[", ",", ":", "\\", "\\u0000", "null", "1e999", "-0", '"id":1,'];
const forbiddenKeys = [
  '"__proto__":{}',
  String.raw`"\u005f_proto__":1`,
  '"constructor":{"prototype":{}}',
];

const jsonCases: fc.Arbitrary<Case> = fc.oneof(
  fc
    .oneof(
      mutationsOf(goodJson, oddJson),
      fc.json().map(toBytes),
      fc
        .record(
          { id: fc.anything(), name: fc.anything(), nested: fc.object() },
          { requiredKeys: [] },
        )
        .map((value) => toBytes(toJson(value))),
      bytes,
    )
    .map((body) => ({ ...goodCases.json, body, isBad: isBadJson(body) })),
  fc
    .tuple(fc.integer({ min: 65, max: 20_000 }), fc.constantFrom("[", '{"a":'), fc.boolean())
    .map(([depth, open, isClosed]) => ({
      ...goodCases.json,
      body: toBytes(
        `{"a":${open.repeat(depth)}${isClosed ? `1${(open === "[" ? "]" : "}").repeat(depth)}}` : ""}`,
      ),
      isBad: true,
    })),
  fc.constantFrom(...forbiddenKeys).map((key) => ({
    ...goodCases.json,
    body: toBytes(goodJson.replace("{", `{${key},`)),
    isBad: true,
  })),
  wrongTypeCases("json"),
);

/** Converts a value to JSON, with bigints as strings. */
const toJson = (value: object): string => {
  try {
    return JSON.stringify(value, (_key, below: unknown) =>
      typeof below === "bigint" ? String(below) : below,
    );
  } catch {
    return "{";
  }
};

// Forms and queries

const isBadUrlencoded = (text: string): boolean => {
  // without `&`, a leading `?` would be dropped
  const pairs = new URLSearchParams(`&${text}`);
  const [ids, kinds] = [pairs.getAll("id"), pairs.getAll("kind")];
  const [id, kind] = [ids.length > 1 ? ids : ids[0], kinds.length > 1 ? kinds : kinds[0]];
  return !textSchema.safeParse({ id, kind }).success;
};

const goodPairs = "id=7&kind=red";
const oddPairs = [
  ...[
    "&",
    "=",
    "%",
    "%zz",
    "%00",
    "%E0%A4%A",
    "%C0%AF",
    "+",
    "__proto__=1",
    "&id=8",
    "[]",
    "id[x]",
  ],
  ...["&constructor=1", "&toString=", "{", "[", "&&&", "%u0041", "\u0000", ";", "&kind="],
];

const urlencoded: fc.Arbitrary<Uint8Array> = fc.oneof(
  mutationsOf(goodPairs, oddPairs),
  bytes,
  fc.webQueryParameters().map(toBytes),
  fc.integer({ min: 900, max: 1500 }).map((count) => toBytes("a=&".repeat(count))),
);

const formCases: fc.Arbitrary<Case> = fc.oneof(
  {
    weight: 5,
    arbitrary: urlencoded.map((body) => {
      const text = decodeUtf8(body);
      const isBad = text === undefined || isBadUrlencoded(text);
      return { ...goodCases.form, body, isBad };
    }),
  },
  { weight: 1, arbitrary: wrongTypeCases("form") },
);

/**
 * Keeps the characters that the client can send in a target: no spaces, no control characters, nothing above U+00FF.
 */
const toSendable = (text: string): string => text.replace(/[^!-\u007e\u0080-\u00ff]/g, "");

const toText = (body: Uint8Array): string => Buffer.from(body).toString("latin1");

const queryCases: fc.Arbitrary<Case> = urlencoded.map((body) => {
  const query = toSendable(toText(body));
  return {
    method: "GET",
    target: `/query?${query}`,
    isBad: isBadUrlencoded(query.split("#")[0] ?? ""),
  };
});

// Paths

const isBadPath = (target: string): boolean => {
  const path = /^(?:https?:\/\/[^/?#]+)?(\/[^?#]*)/i.exec(target)?.[1] ?? "";
  const [root, first = "", id = "", ...more] = path.replace(/(?<=[^/])\/$/, "").split("/");
  try {
    return (
      root !== "" ||
      decodeURIComponent(first) !== "item" ||
      more.length > 0 ||
      !pathSchema.safeParse({ id: decodeURIComponent(id) }).success
    );
  } catch {
    return true;
  }
};

const segments = [
  ...["item", "Item", "7", "", ".", "..", "%2e%2e", "%2F", "7%2F8", "%zz", "%", "%E0%A4%A", "%00"],
  ...["%C0%AF", "7;x", "7%20", "__proto__", "constructor", "toString", "*", ":id", "json", "query"],
  ...["a".repeat(9000), "9".repeat(7), "\\", "7.", "%69tem", "%37"],
];
const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...segments) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: bytes.map(toText) },
);

const pathCases: fc.Arbitrary<Case> = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("/item/", "/item/", "/", "//") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("", "*", "http://", "http://x/item/", "ftp://x/", "http:///"),
      },
    ),
    fc.array(segment, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("", "", "/", "?", "#7", "//"),
  )
  .map(([start, parts, end]) => {
    const target = toSendable(start + parts.join("/") + end);
    return { method: "GET", target: target === "" ? "*" : target, isBad: isBadPath(target) };
  });

// Multipart bodies

const oddMultipart = [
  ...[
    "\r\n",
    "\n",
    "\r",
    "--b",
    "--b--",
    "--",
    '"',
    ";",
    "\u0000",
    "filename=",
    "filename*=utf-8''%zz",
  ],
  ...["name=", "Content-Type: a\r\n", "Content-Transfer-Encoding: base64\r\n", ": ", "=", "\u202e"],
];

const wrongParts: readonly string[][] = [
  [],
  [toField("title", "seven")],
  [toFile("file", fileContent)],
  [toField("title", "seven"), toField("file", fileContent)],
  [toField("title", "seven"), toFile("file", "other content")],
  [toField("title", ""), toFile("file", fileContent)],
  [toField("title", "x".repeat(2000)), toFile("file", fileContent)],
  [toField("title", "seven"), toFile("file", fileContent), toFile("file", fileContent)],
  [toField("title", "seven"), toFile("file", fileContent), toField("__proto__", "x")],
  [toField("title", "seven"), toFile("file", fileContent), toFile("__proto__", "x")],
  [toField("title", "seven"), toFile("file", fileContent), toField("", "x")],
  [toField("title", "seven"), toFile("file", "x".repeat(20_000))],
  [...Array.from({ length: 30 }, () => toField("title", "x")), toFile("file", fileContent)],
  [toField("title", "seven"), ...Array.from({ length: 5 }, () => toFile("file", fileContent))],
];

const multipartCases: fc.Arbitrary<Case> = fc.oneof(
  // busboy is lenient, so only the handler can tell whether such a body is valid
  mutationsOf(goodMultipart, oddMultipart).map((body) => ({
    ...goodCases.multipart,
    body,
    isBad: false,
  })),
  bytes.map((body) => ({ ...goodCases.multipart, body, isBad: true })),
  fc.nat(goodMultipart.length - "--\r\n".length - 1).map((end) => ({
    ...goodCases.multipart,
    body: toBytes(goodMultipart.slice(0, end)),
    isBad: true,
  })),
  fc
    .constantFrom(...wrongParts)
    .map((parts) => ({ ...goodCases.multipart, body: toBytes(toMultipart(parts)), isBad: true })),
  wrongTypeCases("multipart"),
);

/** Generators of inputs, by kind. */
export const badCases: Readonly<Record<Kind, fc.Arbitrary<Case>>> = {
  json: jsonCases,
  form: formCases,
  query: queryCases,
  path: pathCases,
  multipart: multipartCases,
};
