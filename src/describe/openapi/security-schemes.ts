import type { Operation } from "../api/operation.ts";
import { toFreeName } from "../api/operation-ids.ts";
import { capitalise, toWords } from "../api/words.ts";
import type { Security } from "../../define/endpoint/security.ts";
import type { InputSource } from "../../define/endpoint/input-sources.ts";
import { compact, isSame, mapValues } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

type Scheme = Exclude<Security, { readonly and: unknown } | { readonly or: unknown }>;

/** Alternative sets of schemes; the schemes of a set are required together. OpenAPI calls each set a requirement. */
type Alternatives = readonly (readonly Scheme[])[];

export class SecuritySchemes {
  readonly #schemes = new Map<string, JsonObject>();
  /** Whether any operation has security; otherwise, the document as a whole says that everything is public. */
  readonly isUsed: boolean;

  constructor(operations: readonly Operation[]) {
    this.isUsed = operations.some(({ security }) => security.length > 0);
  }

  /** Writes the requirements of an operation: an empty list if it is public, and undefined if the document says so. */
  write({
    security,
    endpoint: { scopes, access },
    sources,
  }: Operation): readonly JsonObject[] | undefined {
    if (security.length === 0) return this.isUsed || access ? [] : undefined;
    return toAlternatives({ and: security }).map((schemes) =>
      Object.fromEntries(
        schemes.map((scheme) => [
          this.#toName(scheme, sources),
          scheme.type === "oauth2" || scheme.type === "openid" ? scopes : [],
        ]),
      ),
    );
  }

  toComponents(): JsonObject {
    return Object.fromEntries(this.#schemes);
  }

  /** Names a scheme: identical schemes share a name, and different schemes of the same kind are numbered. */
  #toName(scheme: Scheme, sources: readonly InputSource[]): string {
    const definition = toDefinition(scheme, sources);
    const name = toFreeName(
      toWantedName(scheme),
      (one) => !isSame(this.#schemes.get(one) ?? definition, definition),
    );
    this.#schemes.set(name, definition);
    return name;
  }
}

const toAlternatives = (security: Security): Alternatives => {
  if ("or" in security) return security.or.flatMap(toAlternatives);
  if (!("and" in security)) return [[security]];
  return security.and
    .map(toAlternatives)
    .reduce<Alternatives>(
      (all, part) => all.flatMap((one) => part.map((other) => [...one, ...other])),
      [[]],
    );
};

const toDefinition = (scheme: Scheme, sources: readonly InputSource[]): JsonObject => {
  switch (scheme.type) {
    case "basic":
      return { type: "http", scheme: "basic" };
    case "bearer":
      return compact({ type: "http", scheme: "bearer", bearerFormat: scheme.format });
    case "openid":
      return { type: "openIdConnect", openIdConnectUrl: scheme.url };
    case "oauth2":
      return {
        type: "oauth2",
        flows: mapValues(scheme.flows, ({ scopes = {}, ...flow }) => ({
          ...compact(flow),
          scopes,
        })),
      };
    case "input":
      return {
        type: "apiKey",
        in: "query",
        name: scheme.name,
        ...(sources.includes("body") && { "x-in-alternative": "body" }),
      };
    default:
      return { type: "apiKey", in: scheme.type, name: scheme.name };
  }
};

const toWantedName = (scheme: Scheme): string => {
  if (!("name" in scheme)) return scheme.type;
  const [first = "", ...more] = toWords(`${scheme.name} ${scheme.type}`.toLowerCase());
  return first + more.map(capitalise).join("");
};
