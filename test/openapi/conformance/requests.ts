import type { JsonObject } from "sallyport/openapi";
import type { Operation } from "../generate.ts";
import type { Random } from "./random.ts";
import type { Values } from "./values.ts";

/** A generated request before it is serialised. */
export interface Draft {
  readonly parameters: Map<string, unknown>;
  /** The body; undefined if there is none. */
  body: unknown;
  mediaType: string | undefined;
  /** A string to send instead of the body. */
  rawBody: string | undefined;
  hasCredentials: boolean;
  /** The name of the change that makes the request invalid; undefined for a valid request. */
  mutation: string | undefined;
}

/** A request to send. */
export interface Written {
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
}

/** Returns the place and the name of a parameter, such as `query limit`. */
export const toKey = (parameter: { readonly name: string; readonly in: string }): string =>
  `${parameter.in} ${parameter.name}`;

/** Generates a request that the document allows. */
export const draftRequest = (operation: Operation, values: Values, random: Random): Draft => {
  const parameters = new Map<string, unknown>();
  for (const parameter of operation.parameters ?? []) {
    if (parameter["required"] !== true && random.chance(0.4)) continue;
    let value = values.make(parameter["schema"]);
    // a path segment cannot be empty, so an empty string or array cannot be sent
    if (parameter.in === "path")
      for (let tries = 0; tries < 9 && !fitsPath(value); tries++)
        value = values.make(parameter["schema"]);
    parameters.set(toKey(parameter), parameter.in === "path" && !fitsPath(value) ? "abc" : value);
  }
  const { requestBody } = operation;
  const sends = requestBody && (requestBody.required === true || random.chance(0.7));
  const contents = Object.entries(requestBody?.content ?? {});
  const [mediaType, media] = contents.length > 1 ? random.pick(contents) : (contents[0] ?? []);
  return {
    parameters,
    body: sends ? values.make(media?.schema) : undefined,
    mediaType: sends ? mediaType : undefined,
    rawBody: undefined,
    hasCredentials: true,
    mutation: undefined,
  };
};

const fitsPath = (value: unknown): boolean => {
  const text = String(value);
  // in the torture routing, a dash separates two parameters
  return text !== "" && !/[-./\\%]|^_/.test(text.replace(/^[\da-f-]{36}$/, "uuid"));
};

/** Breaks one part of a request. */
export const mutate = (draft: Draft, operation: Operation, random: Random): void => {
  const junk = (): unknown =>
    random.pick<unknown>([null, 5, true, "junk", [], {}, [1, "a"], { a: 1 }]);
  const kinds: [string, () => void][] = [];
  const names = [...draft.parameters.keys()].filter((key) => !/^path | otherParameters$/.test(key));
  const [name] = names;
  if (name !== undefined) {
    const one = random.pick(names);
    kinds.push([
      `without ${one}`,
      () => {
        draft.parameters.delete(one);
        // the API key may be both a parameter and a credential
        draft.hasCredentials = false;
      },
    ]);
    kinds.push([
      `another ${one}`,
      () => {
        draft.parameters.set(one, random.pick(["junk", "", "-1", "1e99", ["a", "b"]]));
        if (operation.security?.length) draft.hasCredentials = false;
      },
    ]);
  }
  for (const parameter of operation.parameters ?? [])
    if (parameter.in === "path")
      kinds.push([
        `another ${parameter.name}`,
        () => draft.parameters.set(toKey(parameter), "junk"),
      ]);
  if (operation.security?.length)
    kinds.push(["without credentials", () => (draft.hasCredentials = false)]);
  if (operation.requestBody) {
    if (draft.mediaType?.includes("json")) {
      kinds.push(["malformed JSON", () => (draft.rawBody = '{"a":')]);
      kinds.push(["an array as body", () => (draft.rawBody = "[1]")]);
    }
    if (draft.mediaType !== "*/*" && draft.mediaType !== "image/png")
      kinds.push([
        "another media type",
        () => {
          draft.mediaType = "text/plain";
          draft.rawBody = "text";
        },
      ]);
    kinds.push(["without body", () => (draft.body = undefined)]);
    const { body } = draft;
    if (typeof body === "object" && body !== null) {
      const broken = structuredClone(body) as JsonObject;
      kinds.push(
        [
          "a broken body",
          () => {
            breakInside(broken, random, junk);
            draft.body = broken;
          },
        ],
        [
          "a body that is broken elsewhere",
          () => {
            breakInside(broken, random, junk);
            draft.body = broken;
          },
        ],
      );
    }
  }
  if (kinds.length === 0) return;
  const [kind, change] = random.pick(kinds);
  draft.mutation = kind;
  change();
};

/** Removes, adds or replaces a property at a random depth. */
const breakInside = (object: JsonObject, random: Random, junk: () => unknown): void => {
  const keys = Object.keys(object);
  if (keys.length === 0 || random.chance(0.1)) {
    object["surplus"] = junk();
    return;
  }
  const key = random.pick(keys);
  const inner = object[key];
  if (typeof inner === "object" && inner !== null && random.chance(0.6))
    breakInside(inner as JsonObject, random, junk);
  else if (random.chance(0.3) && !Array.isArray(object)) delete object[key];
  else object[key] = junk();
};

/** Serialises a request, with the credentials that its operation requires. */
export const writeRequest = (
  draft: Draft,
  path: string,
  operation: Operation,
  schemes: Readonly<Record<string, JsonObject>>,
  secret: string,
): Written => {
  let target = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const [key, value] of draft.parameters) {
    const [place, name = ""] = key.split(/ (.*)/s);
    if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (place === "header") headers[name] = toField(String(value));
    else if (place === "cookie") cookies.push(`${name}=${encodeURIComponent(String(value))}`);
    else if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const [inner, one] of Object.entries(value)) query.append(inner, String(one));
    else for (const one of [value].flat()) query.append(name, String(one));
  }
  const [requirement = {}] = operation.security ?? [];
  for (const name of draft.hasCredentials ? Object.keys(requirement) : []) {
    const scheme = schemes[name] ?? {};
    if (scheme["in"] === "query") {
      if (scheme["x-in-alternative"] !== "body") query.set(String(scheme["name"]), secret);
      else if (typeof draft.body === "object")
        (draft.body as JsonObject)[String(scheme["name"])] = secret;
    } else if (scheme["in"] === "cookie") cookies.push(`${String(scheme["name"])}=${secret}`);
    else if (scheme["in"] === "header") headers[String(scheme["name"])] = secret;
    else
      headers["authorization"] =
        scheme["scheme"] === "basic" ? `Basic ${secret}` : `Bearer ${secret}`;
  }
  if (cookies.length > 0) headers["cookie"] = cookies.join("; ");
  const { type, bytes } = writeBody(draft);
  if (bytes !== undefined && type !== undefined) headers["content-type"] = type;
  const text = query.toString();
  return { target: target + (text === "" ? "" : `?${text}`), headers, body: bytes };
};

/** Encodes what clients cannot send in a header field. */
const toField = (text: string): string => text.replace(/[^!-~]+/g, encodeURIComponent);

const writeBody = ({
  body,
  rawBody,
  mediaType = "application/json",
}: Draft): { readonly type?: string; readonly bytes: string | Buffer | undefined } => {
  if (rawBody !== undefined) return { type: mediaType, bytes: rawBody };
  if (body === undefined) return { bytes: undefined };
  if (mediaType === "multipart/form-data") return writeMultipart(body as JsonObject);
  if (mediaType === "application/x-www-form-urlencoded")
    return { type: mediaType, bytes: toForm(body as JsonObject) };
  if (mediaType.includes("json")) return { type: mediaType, bytes: JSON.stringify(body) };
  return {
    type: mediaType === "*/*" ? "application/pdf" : mediaType,
    bytes: Buffer.from(typeof body === "string" && body !== "" ? body : "bytes"),
  };
};

const toForm = (body: JsonObject): string =>
  new URLSearchParams(
    Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

const writeMultipart = (body: JsonObject) => {
  const boundary = "----conformance";
  const parts = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((one) => {
      const isFile = name !== "title";
      const file = isFile ? `; filename="a.txt"\r\nContent-Type: text/plain` : "";
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${String(one)}\r\n`;
    }),
  );
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.from(`${parts.join("")}--${boundary}--\r\n`),
  };
};
