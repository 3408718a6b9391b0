import { toList, toObject, toText, type Json, type JsonObject } from "@sallyport/document";
import { code, identifier, imported, join, type Code } from "./code.ts";
import type { ApiDocument } from "./document.ts";
import { toCamel, toPascal, type Names } from "./names.ts";
import type { Notes } from "./notes.ts";

const toSecurity = (scheme: JsonObject): Json | undefined => {
  const name = toText(scheme["name"]);
  switch (scheme["type"]) {
    case "http": {
      const kind = toText(scheme["scheme"]).toLowerCase();
      const format = scheme["bearerFormat"];
      if (kind === "basic") return { type: "basic" };
      if (kind !== "bearer") return undefined;
      return { type: "bearer", ...(typeof format === "string" && { format }) };
    }
    case "apiKey":
      return ["header", "cookie", "query"].includes(toText(scheme["in"])) && name !== ""
        ? { type: toText(scheme["in"]), name }
        : undefined;
    case "oauth2":
      return { type: "oauth2", flows: toObject(scheme["flows"]) };
    case "openIdConnect":
      return { type: "openid", url: toText(scheme["openIdConnectUrl"]) };
    default:
      return undefined;
  }
};

/** Writes the security schemes as middlewares, and the factories of the endpoints that need them. */
export class SecurityWriter {
  readonly #document: ApiDocument;
  readonly #names: Names;
  readonly #middlewares = new Map<string, Code>();
  readonly #factories = new Map<string, Code>();
  readonly #declarations: { readonly middlewares: Code[]; readonly factories: Code[] } = {
    middlewares: [],
    factories: [],
  };

  constructor(document: ApiDocument, names: Names) {
    this.#document = document;
    this.#names = names;
  }

  /** Returns the factory for an operation, its scopes, and whether requests without credentials are allowed, too. */
  useFactory(
    base: Code,
    operation: JsonObject,
    notes: Notes,
  ): { readonly factory: Code; readonly scopes: readonly string[]; readonly isOptional: boolean } {
    const all = toList(operation["security"] ?? this.#document.root["security"]).map(toObject);
    const required = all.filter((one) => Object.keys(one).length > 0);
    const isOptional = required.length < all.length && required.length > 0;
    if (isOptional) notes.add("", "The document also allows requests without credentials.");
    const scopes = [
      ...new Set(required.flatMap((one) => Object.values(one).flatMap(toList).map(toText))),
    ];
    const security = required.flatMap((one) => {
      const parts = Object.keys(one).map((name) => this.#readScheme(name));
      const known = parts.filter((part) => part !== undefined);
      for (const name of Object.keys(one))
        if (this.#readScheme(name) === undefined)
          notes.add("", `The security scheme ${name} has no counterpart.`);
      if (known.length < parts.length) return [];
      return [
        {
          names: Object.keys(one),
          security: parts.length === 1 ? (parts[0] as Json) : { and: known },
        },
      ];
    });
    const takesScopes = (one: JsonObject): boolean =>
      Object.entries(one).every(([name, list]) => {
        const type = toObject(this.#readScheme(name))["type"];
        const isToken = type === "oauth2" || type === "openid";
        return isToken ? toList(list).length === scopes.length : toList(list).length === 0;
      });
    if (!required.every(takesScopes)) notes.add("", "Scopes are those of all schemes with tokens.");
    const [only] = security;
    if (!only) return { factory: base, scopes, isOptional: false };
    const middleware = this.#use(
      security.map(({ names }) => names.map(toPascal).join("And")).join("Or"),
      security.length === 1 ? only.security : { or: security.map((one) => one.security) },
    );
    return { factory: this.#guard(base, middleware), scopes, isOptional };
  }

  #readScheme(name: string): Json | undefined {
    const schemes = toObject(toObject(this.#document.root["components"])["securitySchemes"]);
    return Object.hasOwn(schemes, name)
      ? toSecurity(this.#document.resolve(schemes[name]))
      : undefined;
  }

  #guard(base: Code, middleware: Code): Code {
    const id = `${base.text} ${middleware.text}`;
    const known = this.#factories.get(id);
    if (known) return known;
    const kind = toPascal(base.text);
    const name = this.#names.take(`${middleware.text.replace(/Middleware\d*$/, "")}${kind}`);
    const factory = imported(name, "./factories");
    this.#factories.set(id, factory);
    this.#declarations.factories.push(
      code`export const ${identifier(name)} = ${base}.addMiddleware(${middleware});`,
    );
    return factory;
  }

  #use(words: string, security: Json): Code {
    const id = JSON.stringify(security);
    const known = this.#middlewares.get(id);
    if (known) return known;
    const name = this.#names.take(`${toCamel(words)}Middleware`);
    const middleware = imported(name, "./factories");
    this.#middlewares.set(id, middleware);
    this.#declarations.middlewares.push(
      code`export const ${identifier(name)} = new ${imported("Middleware", "sallyport")}({
security: ${security},
handler: async () => {
throw ${imported("createHttpError", "http-errors")}(501, ${"The credentials are not checked yet"});
},
});`,
    );
    return middleware;
  }

  /** Writes the module of the middlewares and factories. */
  toCode(bases: readonly Code[]): Code {
    const { middlewares, factories } = this.#declarations;
    return join([...bases, ...middlewares, ...factories], code`\n\n`);
  }
}
