import { toText } from "@sallyport/document";
import { isForm, isJsonType, isMultipart } from "./body-type.ts";
import type { Operation, Parameter } from "./operation.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A body that is sent: the fields of a form, a value as JSON, or text. */
export interface CallBody {
  readonly type: string;
  readonly value: unknown;
}

/** A request to an operation, before it is written. */
export interface Call {
  readonly operation: Operation;
  /** Another method than that of the operation. */
  readonly method?: string;
  readonly path: Fields;
  readonly query: Fields;
  readonly header: Fields;
  readonly cookie: Fields;
  readonly body?: CallBody | undefined;
  /** What tells who calls. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The boundary of multipart bodies: always the same, so that a call can be repeated. */
const boundary = "sallyport-verify";

export const toSent = ({
  operation,
  method = operation.method,
  path,
  query,
  header,
  cookie,
  body,
  credentials,
}: Call): Sent => {
  const url = operation.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    [path[name]]
      .flat()
      .map((one) => encodeURIComponent(toText(one)))
      .join("/"),
  );
  const secrets = Object.entries(credentials);
  const keys = secrets.flatMap(([name, value]) =>
    name.startsWith("?") ? [[name.slice(1), value]] : [],
  );
  const pairs = Object.entries({ ...query, ...Object.fromEntries(keys) }).flatMap(([name, value]) =>
    toPairs(name, value),
  );
  const search = pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
  const cookies = [
    ...Object.entries(cookie).map(
      ([name, value]) => `${name}=${encodeURIComponent(toText(value))}`,
    ),
    ...(credentials["cookie"] === undefined ? [] : [credentials["cookie"]]),
  ];
  const own = Object.entries(header).map(([name, value]) => [name, toText(value)] as const);
  const isConditional = "if-none-match" in header || "if-modified-since" in header;
  return {
    method: method.toUpperCase(),
    url: search ? `${url}?${search}` : url,
    headers: {
      ...Object.fromEntries(secrets.filter(([name]) => !name.startsWith("?"))),
      ...(body && { "content-type": toContentType(body.type) }),
      // of its own accord, `fetch` asks for a whole reply
      ...(isConditional && { "cache-control": "max-age=0" }),
      ...Object.fromEntries(own),
      ...(cookies.length > 0 && { cookie: cookies.join("; ") }),
    },
    body: body && toBytes(body),
  };
};

const toContentType = (type: string): string =>
  isMultipart(type)
    ? `${type}; boundary=${boundary}`
    : type.includes("*")
      ? "application/octet-stream"
      : type;

const toBytes = ({ type, value }: CallBody): string => {
  if (isJsonType(type)) return value instanceof Malformed ? value.text : JSON.stringify(value);
  if (!isForm(type)) return toText(value);
  const pairs = Object.entries(value as Fields).flatMap(([name, one]) => toPairs(name, one));
  if (!isMultipart(type)) return new URLSearchParams(pairs as [string, string][]).toString();
  const parts = Object.entries(value as Fields).flatMap(([name, one]) =>
    [one]
      .flat()
      .map((item) =>
        item instanceof SentFile
          ? `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${item.name}"\r\nContent-Type: ${item.type}\r\n\r\n${item.text}\r\n`
          : `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${toText(item)}\r\n`,
      ),
  );
  return `${parts.join("")}--${boundary}--\r\n`;
};

/** Text in place of JSON. */
export class Malformed {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A file of a form. */
export class SentFile {
  readonly text: string;
  readonly type: string;
  readonly name: string;

  constructor(text: string, type = "text/plain", name = "file.txt") {
    this.text = text;
    this.type = type;
    this.name = name;
  }
}

/**
 * Reads the files among the fields of a fixture.
 *
 * @throws {TypeError} when the content of a file is not UTF-8.
 */
export const readFiles = async (fields: Fields): Promise<Fields> => {
  const read = async (value: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map(read));
    if (!(value instanceof File)) return value;
    // calls are shown as commands, so their bodies are text
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await value.arrayBuffer());
    return new SentFile(text, value.type, value.name);
  };
  const entries = Object.entries(fields).map(async ([name, value]) => [name, await read(value)]);
  return Object.fromEntries(await Promise.all(entries)) as Fields;
};

const toPairs = (name: string, value: unknown): readonly (readonly [string, string])[] => {
  if (Array.isArray(value)) return value.map((one) => [name, toText(one)]);
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => toPairs(`${name}[${key}]`, one));
  return [[name, toText(value)]];
};

/** Whether a value can be written at a place, and is read there as it is. */
export const canCarry = (
  place: Parameter["in"] | "form",
  value: unknown,
  takesObjects = false,
): boolean => {
  if (value === null || value === undefined) return false;
  if (Array.isArray(value))
    return value.length > 0 && value.every((one) => !Array.isArray(one) && canCarry(place, one));
  if (typeof value === "object") return takesObjects && Object.keys(value).length > 0;
  const text = toText(value);
  if (/\p{Surrogate}/u.test(text)) return false;
  if (place === "path") return text !== "" && text !== "." && text !== "..";
  if (place !== "header") return true;
  return /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/.test(text);
};

/** Whether a value of a parameter can be written at its place, and is read there as it is. */
export const canCarryAt = ({ in: place, isDeep, end }: Parameter, value: unknown): boolean =>
  canCarry(place, value, isDeep) &&
  (end === undefined || `${toText(value)}${end}`.indexOf(end, 1) === toText(value).length);

/** Whether a call has a text that changes if it is trimmed, or control characters other than those between lines. */
export const hasDoubtfulText = ({ path, query, header, cookie, body }: Call): boolean => {
  const isDoubtful = (value: unknown): boolean => {
    if (typeof value === "string") return value !== value.trim() || /[^\P{Cc}\t\r\n]/u.test(value);
    return typeof value === "object" && value !== null && Object.values(value).some(isDoubtful);
  };
  return [path, query, header, cookie, body?.value].some(isDoubtful);
};
