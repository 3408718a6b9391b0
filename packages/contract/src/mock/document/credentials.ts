import type { Credentials, Operation, SecurityScheme } from "@sallyport/document";
import { readCookies, type MockRequest } from "./request.ts";

/** Whether a request has credentials of a declared kind; whatever they are, a mock accepts them. */
export const hasCredentials = ({ security }: Operation, request: MockRequest): boolean =>
  security.length === 0 ||
  security.some((set) => set.every(({ scheme }) => isMet(scheme, request)));

const isMet = (
  { type, scheme = "", in: place, key = "" }: SecurityScheme,
  request: MockRequest,
): boolean => {
  const { headers, url } = request;
  const [kind = "", secret = ""] = (headers["authorization"] ?? "").split(" ", 2);
  switch (type) {
    case "http":
      return kind.toLowerCase() === scheme && secret !== "";
    case "oauth2":
    case "openIdConnect":
      return kind.toLowerCase() === "bearer" && secret !== "";
    case "apiKey":
      if (place === "query") return new URLSearchParams(url.split("?")[1]).has(key);
      return place === "cookie"
        ? Object.hasOwn(readCookies(headers["cookie"]), key)
        : headers[key] !== undefined;
    default:
      return true;
  }
};

/** Returns the challenges that tell how to authenticate. */
export const toChallenge = (security: readonly Credentials[]): string => {
  const kinds = security.flat().map(({ scheme: { type, scheme = "" } }) => {
    if (type === "http") return scheme.replace(/^./, (first) => first.toUpperCase());
    return type === "apiKey" ? "ApiKey" : "Bearer";
  });
  return [...new Set(kinds)].map((kind) => `${kind} realm="mock"`).join(", ");
};
