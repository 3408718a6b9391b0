/** The reason why a value cannot be sent, which becomes an {@link UnsendableInputError} where the route is known. */
export interface Refusal {
  /** The place in the input, such as `filter.tags[0]`. */
  readonly refused: string;
  readonly reason: string;
}

/** @throws {@link Refusal} always. */
export const refuse = (refused: string, reason: string): never => {
  // oxlint-disable-next-line typescript/only-throw-error -- it becomes an error before anything reads its stack
  throw { refused, reason } satisfies Refusal;
};

/** A lone surrogate, which UTF-8 cannot represent. */
const loneSurrogate = /\p{Cs}/u;

/** The maximum depth of a value, far deeper than any API accepts; a deeper value is circular. */
const maxDepth = 200;

/** @throws {@link Refusal} when a string has a lone surrogate. */
export const assertString = (field: string, text: string): string =>
  loneSurrogate.test(text) ? refuse(field, "has a lone surrogate") : text;

/** Returns the kind of a value in lower case, such as `map`. */
export const toKind = (value: unknown): string =>
  Object.prototype.toString.call(value).slice(8, -1).toLowerCase();

/** Checks for a date, which may come from another realm. */
const isDate = (value: unknown): value is Date => toKind(value) === "date";

export const listFields = (field: string, value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([key, part]: [string, unknown]) => {
    if (key === "__proto__") refuse(toField(field, key), "has a name that APIs reject");
    assertString(toField(field, key), key);
    return part !== undefined;
  });

const toField = (field: string, key: number | string): string =>
  typeof key === "number" ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;

/** Checks whether a value is a plain object, or an instance of a class that is not built in. */
const isRecord = (value: unknown): value is object => toKind(value) === "object";

/** Converts a single value to a string, for a path, a query, a header or a form. */
export const toText = (field: string, value: unknown): string => {
  if (typeof value === "string") return assertString(field, value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? String(value) : refuse(field, `is ${value}`);
  if (!isDate(value)) return refuse(field, `is of type ${toKind(value)}`);
  return Number.isNaN(value.getTime()) ? refuse(field, "is an invalid date") : value.toISOString();
};

/** Converts a value to a JSON value: dates and bigints become strings, and undefined values are left out. */
export const toJsonValue = (field: string, value: unknown, depth = 0): unknown => {
  if (depth > maxDepth) refuse(field, "contains itself");
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number(toText(field, value));
  if (typeof value !== "object" || isDate(value)) return toText(field, value);
  if (Array.isArray(value))
    // `map` would skip holes
    return Array.from(value, (part, index) => toJsonValue(toField(field, index), part, depth + 1));
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return toJsonValue(field, toJSON.call(value), depth + 1);
  if (!isRecord(value)) return toText(field, value);
  return Object.fromEntries(
    listFields(field, value).map(([key, part]) => [
      key,
      toJsonValue(toField(field, key), part, depth + 1),
    ]),
  );
};

/** The maximum length of an array that the extended parser reads as an array. */
const maxBracketed = 20;

const maxBrackets = 5;

type Pairs = Iterable<readonly [string, unknown]>;

/** Lists the elements of an array, or the value itself, each with the field name. */
export const listParts = (name: string, value: unknown): readonly (readonly [string, unknown])[] =>
  Array.isArray(value)
    ? assertFull(name, Array.from(value)).map((part, index) => [toField(name, index), part])
    : [[name, value]];

/** An empty array or object cannot be distinguished from a missing one. */
const assertFull = <Part>(field: string, parts: readonly Part[]): readonly Part[] =>
  parts.length > 0 ? parts : refuse(field, "is empty; omit it");

const encodePair = (field: string, name: string, value: unknown): string =>
  `${encodeURIComponent(name)}=${encodeURIComponent(toText(field, value))}`;

/** Encodes fields as names and values; arrays become repeated names. */
export const encodePairs = (fields: Pairs): string =>
  Array.from(fields)
    .flatMap(([name, value]) =>
      listParts(name, value).map(([field, part]) => encodePair(field, name, part)),
    )
    .join("&");

/** Encodes fields for the extended parser: brackets for arrays and objects. */
export const encodeBrackets = (fields: Pairs): string =>
  Array.from(fields, ([name, value]) => {
    assertName(name, name, /^$/);
    return encodeNested(name, name, value, 0);
  }).join("&");

/** @param name the field name, such as `filter[tags][0]` */
const encodeNested = (field: string, name: string, value: unknown, depth: number): string => {
  const isArray = Array.isArray(value);
  if (!isArray && !isRecord(value)) return encodePair(field, name, value);
  const parts = assertFull(field, isArray ? Object.entries([...value]) : listFields(field, value));
  if (depth >= maxBrackets || (isArray && parts.length > maxBracketed))
    refuse(field, "exceeds the limits of the extended parser");
  return parts
    .map(([part, inner]) => {
      const inside = toField(field, isArray ? Number(part) : part);
      if (!isArray) assertName(inside, part, /^\d*$/);
      return encodeNested(inside, `${name}[${part}]`, inner, depth + 1);
    })
    .join("&");
};

/** @throws {@link Refusal} when the extended parser would interpret a name differently. */
const assertName = (field: string, name: string, special: RegExp): void => {
  if (special.test(name) || /[[\]]/.test(name))
    refuse(field, "has a name that the extended parser does not preserve");
};

export const hasFile = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasFile) : value instanceof Blob;

const quote = (text: string): string =>
  `"${text.replace(/[\r\n"]/g, (character) => encodeURIComponent(character))}"`;

/** Encodes fields and files as `multipart/form-data`; `FormData` would turn each line break into CRLF. */
export const encodeMultipart = (fields: Pairs): Blob => {
  // a boundary has at most 70 characters
  const boundary = `----sallyport${Math.random()}${Math.random()}`;
  const texts: (Blob | string)[] = [];
  const files: (Blob | string)[] = [];
  const add = (name: string, field: string, value: unknown): void => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name=${quote(name)}`;
    if (!(value instanceof Blob)) {
      texts.push(`${head}\r\n\r\n${toText(field, value)}\r\n`);
      return;
    }
    const { name: fileName = "blob" } = value as { readonly name?: string };
    files.push(
      `${head}; filename=${quote(fileName)}\r\n`,
      `Content-Type: ${value.type || "application/octet-stream"}\r\n\r\n`,
      ...[value, "\r\n"],
    );
  };
  for (const [name, value] of fields) {
    // servers do not decode the characters that browsers encode in names
    if (/^$|[\r\n"\\]/.test(name)) refuse(name, "has a name that forms do not preserve");
    for (const [field, part] of listParts(name, value)) add(name, field, part);
  }
  // strings come first, so that a streaming parser has them before the files arrive
  return new Blob([...texts, ...files, `--${boundary}--\r\n`], {
    type: `multipart/form-data; boundary=${boundary}`,
  });
};
