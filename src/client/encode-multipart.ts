import { UnsendableInputError, type CallRoute } from "./client-errors.ts";
import { assertString, toField, toText } from "./wire-value.ts";

/** Whether a value is a file, or an array that holds one. */
export const hasFile = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasFile) : value instanceof Blob;

/** As browsers write the name of a field or a file. */
const quote = (text: string): string =>
  `"${text.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22")}"`;

/**
 * Encodes fields and files as `multipart/form-data`.
 *
 * Not by `FormData`, which turns each line break into CR and LF.
 *
 * @throws {@link UnsendableInputError} when a value is neither a file nor a single text.
 */
export const encodeMultipart = (
  route: CallRoute,
  fields: Iterable<readonly [string, unknown]>,
): Blob => {
  const boundary = `----sallyport${Array.from({ length: 4 }, () => Math.random().toString(36).slice(2)).join("")}`;
  const texts: (Blob | string)[] = [];
  const files: (Blob | string)[] = [];
  const add = (name: string, field: string, value: unknown): void => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name=${quote(name)}`;
    if (!(value instanceof Blob)) {
      texts.push(`${head}\r\n\r\n${toText(route, field, value)}\r\n`);
      return;
    }
    const { name: fileName = "blob" } = value as { readonly name?: string };
    const type = value.type === "" ? "application/octet-stream" : value.type;
    files.push(
      `${head}; filename=${quote(assertString(route, field, fileName))}\r\nContent-Type: ${type}\r\n\r\n`,
      value,
      "\r\n",
    );
  };
  for (const [name, value] of fields) {
    assertName(route, name);
    if (!Array.isArray(value)) add(name, name, value);
    else if (value.length === 0)
      throw new UnsendableInputError(route, name, "is an empty array, which a form cannot carry");
    else value.forEach((part, index) => add(name, toField(name, index), part));
  }
  // texts first, so that a server that reads along knows them when the files come
  return new Blob([...texts, ...files, `--${boundary}--\r\n`], {
    type: `multipart/form-data; boundary=${boundary}`,
  });
};

const assertName = (route: CallRoute, name: string): void => {
  assertString(route, name, name);
  if (name === "" || /[\r\n"\\]/.test(name))
    throw new UnsendableInputError(
      route,
      name,
      "has a name with a quote, a backslash, a line break or nothing in it, which forms do not keep",
    );
};
