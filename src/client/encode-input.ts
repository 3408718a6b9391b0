import { isRecord, listFields, refuse, toField, toText } from "./wire-value.ts";

/** The maximum length of an array that the extended parser reads as an array. */
const maxBracketed = 20;

const maxBrackets = 5;

type Pairs = Iterable<readonly [string, unknown]>;

/**
 * @throws {@link Refusal} when there are no parts, because an empty field cannot be distinguished from a missing one.
 */
const assertFull = (field: string, parts: readonly unknown[]): void => {
  if (parts.length === 0) refuse(field, "is empty; omit it");
};

/**
 * Lists the elements of an array, or the value itself, each with the field name.
 *
 * @throws {@link Refusal} when an array is empty.
 */
export const listParts = (
  name: string,
  value: unknown,
): readonly (readonly [string, unknown])[] => {
  if (!Array.isArray(value)) return [[name, value]];
  assertFull(name, value);
  return Array.from(value, (part: unknown, index) => [toField(name, index), part]);
};

/**
 * Encodes fields as names and values; arrays become repeated names.
 *
 * @throws {@link Refusal} when a value is not representable as a string, or an array is empty.
 */
export const encodePairs = (fields: Pairs): string =>
  Array.from(fields, ([name, value]) => encodeField(name, name, value)).join("&");

/**
 * Encodes fields for the extended parser: brackets for arrays and objects.
 *
 * @throws {@link Refusal} when the parser would read a different value.
 */
export const encodeBrackets = (fields: Pairs): string =>
  Array.from(fields, ([name, value]) => {
    assertName(name, name, /^$/);
    return encodeField(name, name, value, 0);
  }).join("&");

/**
 * @param name the field name, such as `filter[tags][0]`
 * @param depth how many brackets surround the value; undefined for the simple parser
 */
const encodeField = (field: string, name: string, value: unknown, depth?: number): string => {
  const isArray = Array.isArray(value) && (depth !== undefined || field === name);
  if (!isArray && (depth === undefined || !isRecord(value)))
    return `${encodeURIComponent(name)}=${encodeURIComponent(toText(field, value))}`;
  const parts: readonly (readonly [number | string, unknown])[] = isArray
    ? [...(value as readonly unknown[]).entries()]
    : listFields(field, value);
  assertFull(field, parts);
  if (depth !== undefined && (depth >= maxBrackets || (isArray && parts.length > maxBracketed)))
    refuse(field, "exceeds the limits of the extended parser");
  return parts
    .map(([part, inner]) => {
      const inside = toField(field, part);
      if (!isArray) assertName(inside, String(part), /^\d*$/);
      return depth === undefined
        ? encodeField(inside, name, inner)
        : encodeField(inside, `${name}[${part}]`, inner, depth + 1);
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

/**
 * Encodes fields and files as `multipart/form-data`. `FormData` is not used, because it turns each line break into
 * CRLF.
 *
 * @throws {@link Refusal} when a value is neither a file nor representable as a string.
 */
export const encodeMultipart = (fields: Iterable<readonly [string, unknown]>): Blob => {
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
