import { isRecord, listFields, refuse, toField, toText } from "./wire-value.ts";

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
