import { toList, toObject, toText, type ApiDocument, type JsonObject } from "./document.ts";
import { toCamel, toPascal, type Names } from "./names.ts";

/** The alternatives of an operation; each names schemes that are all required, with their scopes. */
type Requirement = readonly JsonObject[];

const literal = (value: unknown): string => JSON.stringify(value);

const schemeToSecurity = (scheme: JsonObject): string | undefined => {
  const name = toText(scheme["name"]) ?? "";
  switch (scheme["type"]) {
    case "http": {
      const kind = String(scheme["scheme"]).toLowerCase();
      const format = toText(scheme["bearerFormat"]);
      if (kind === "basic") return '{ type: "basic" }';
      return kind === "bearer"
        ? `{ type: "bearer"${format === undefined ? "" : `, format: ${literal(format)}`} }`
        : undefined;
    }
    case "apiKey":
      return `{ type: ${literal(scheme["in"])}, name: ${literal(name)} }`;
    case "oauth2":
      return `{ type: "oauth2", flows: ${literal(toObject(scheme["flows"]))} }`;
    case "openIdConnect":
      return `{ type: "openid", url: ${literal(scheme["openIdConnectUrl"])} }`;
    default:
      return undefined;
  }
};

/** Writes the security schemes as middlewares, and the factories of the endpoints that need them. */
export class SecurityWriter {
  readonly #document: ApiDocument;
  readonly #names: Names;
  /** The code of each middleware, by what it requires. */
  readonly #middlewares = new Map<string, { readonly name: string; readonly code: string }>();
  /** The code of each factory, by base and requirement. */
  readonly #factories = new Map<string, { readonly name: string; readonly code: string }>();

  constructor(document: ApiDocument, names: Names) {
    this.#document = document;
    this.#names = names;
  }

  /** Returns the name of the factory for an operation, its scopes, and what cannot be expressed. */
  useFactory(
    base: string,
    operation: JsonObject,
  ): { name: string; scopes: readonly string[]; notes: readonly string[] } {
    const all = toList(operation["security"] ?? this.#document.root["security"]).map(toObject);
    const requirement = all.filter((one) => Object.keys(one).length > 0);
    const notes =
      requirement.length > 0 && requirement.length < all.length
        ? ["The document also allows requests without credentials."]
        : [];
    const scopes = [
      ...new Set(requirement.flatMap((one) => Object.values(one).flatMap(toList).map(String))),
    ];
    if (requirement.length === 0) return { name: base, scopes, notes };
    const middlewares = this.#toMiddlewares(requirement);
    const key = [base, ...middlewares].join();
    const known = this.#factories.get(key);
    if (known) return { name: known.name, scopes, notes };
    const kind = base === "factory" ? "Factory" : toPascal(base);
    const name = this.#names.take(
      `${middlewares
        .map((one) => one.replace(/Middleware$/, ""))
        .map((one, at) => (at === 0 ? one : toPascal(one)))
        .join("And")}${kind}`,
    );
    const code = `export const ${name} = ${base}${middlewares.map((one) => `.addMiddleware(${one})`).join("")};`;
    this.#factories.set(key, { name, code });
    return { name, scopes, notes };
  }

  #toMiddlewares(requirement: Requirement): readonly string[] {
    const [only] = requirement;
    if (only && requirement.length === 1)
      return Object.keys(only).map((scheme) => this.#use(scheme, this.#toSecurity(scheme)));
    const name = requirement.map((one) => Object.keys(one).map(toPascal).join("And")).join("Or");
    const options = requirement.map((one) => {
      const parts = Object.keys(one).map((scheme) => this.#toSecurity(scheme) ?? "");
      return parts.length === 1 ? parts[0] : `{ and: [${parts.join(", ")}] }`;
    });
    return [this.#use(name, `{ or: [${options.join(", ")}] }`)];
  }

  #toSecurity(scheme: string): string | undefined {
    const schemes = toObject(toObject(this.#document.root["components"])["securitySchemes"]);
    return schemeToSecurity(this.#document.resolve(schemes[scheme]));
  }

  #use(scheme: string, security: string | undefined): string {
    const known = this.#middlewares.get(scheme);
    if (known) return known.name;
    const name = this.#names.take(`${toCamel(scheme)}Middleware`);
    const note = `// TODO(sallyport-migrate): The scheme ${scheme} has no counterpart in documents.\n`;
    const code = `${security === undefined ? note : ""}export const ${name} = new Middleware({
${security === undefined ? "" : `security: ${security},\n`}handler: async () => {
throw createHttpError(501, "The credentials are not checked yet");
},
});`;
    this.#middlewares.set(scheme, { name, code });
    return name;
  }

  /** Returns the code of all middlewares and factories in use. */
  finish(): { readonly middlewares: readonly string[]; readonly factories: readonly string[] } {
    const toCode = (all: ReadonlyMap<string, { readonly code: string }>) =>
      [...all.values()].map((one) => one.code);
    return { middlewares: toCode(this.#middlewares), factories: toCode(this.#factories) };
  }
}
