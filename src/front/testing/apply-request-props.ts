import type { Request } from "express";
import { canBeSent } from "../../basics/http/header-field.ts";
import { refuseTest, type RequestProps } from "./test-options.ts";

/** The header fields that frame a message; the handler sees them, but they must not affect the connection. */
const framingHeaders: ReadonlySet<string> = new Set([
  ...["connection", "content-length", "expect", "keep-alive", "te", "trailer"],
  ...["transfer-encoding", "upgrade"],
]);

type Headers = Record<string, string | readonly string[]>;

const toHeaders = (given: RequestProps["headers"]): Headers =>
  Object.fromEntries(
    Object.entries(given ?? {})
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name.toLowerCase(), value]),
  ) as Headers;

export const toSentHeaders = (where: string, given: RequestProps["headers"]): Headers => {
  const headers: Headers = { "content-type": "application/json", ...toHeaders(given) };
  for (const [name, value] of Object.entries(headers)) {
    if (framingHeaders.has(name)) delete headers[name];
    if (![value].flat().every((one) => canBeSent(name, one)))
      refuseTest(
        where,
        `requestProps.headers has a field that cannot be sent: ${JSON.stringify(name)}: ${JSON.stringify(value)}. Names consist of letters, digits and hyphens; values consist of Latin-1 characters without line breaks.`,
      );
  }
  return headers;
};

export const applyRequestProps = (request: Request, { headers, ...props }: RequestProps): void => {
  const given = toHeaders(headers);
  for (const name of framingHeaders) delete request.headers[name];
  for (const [name, value] of Object.entries(given))
    if (framingHeaders.has(name)) request.headers[name] = value as string | string[];
  const { method: _method, url = "", body = {}, params = {}, ...others } = props;
  request.url = url;
  request.originalUrl = url;
  request.body = body;
  // without a length, Express' `request.is` sees no body
  if (props.body !== undefined && !request.headers["transfer-encoding"])
    request.headers["content-length"] ??= toLength(body);
  request.params = params as Request["params"];
  request.route = { path: url.split("?", 1)[0] || "/" };
  // Express finds no path in an empty target
  if (url === "") defineProps(request, { path: "" });
  defineProps(request, others);
};

/** Defines properties on a request; assignments would fail, because many of them are getters of Express requests. */
export const defineProps = (request: Request, props: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(props))
    if (value !== undefined)
      Object.defineProperty(request, name, {
        ...{ value, configurable: true, enumerable: true, writable: true },
      });
};

export const toBytes = (body: unknown): Buffer =>
  Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));

const toLength = (body: unknown): string | undefined => {
  try {
    return String(toBytes(body).length);
  } catch {
    return undefined;
  }
};
