import { listParts } from "./encode-pairs.ts";
import { refuse, toText } from "./wire-value.ts";

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
