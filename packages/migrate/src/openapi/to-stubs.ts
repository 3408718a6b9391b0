import { readFileSync } from "node:fs";
import {
  isObject,
  toList,
  toObject,
  toText,
  type Json,
  type JsonObject,
} from "@sallyport/document";
import { format } from "prettier";
import { UsageError } from "../usage-error.ts";
import {
  block,
  code,
  identifier,
  imported,
  importedType,
  join,
  key,
  nothing,
  todo,
  toModule,
  type Code,
} from "./code.ts";
import type { ApiDocument } from "./document.ts";
import { Factories } from "./factory-code.ts";
import { writeInput } from "./input-code.ts";
import { writeInfo } from "./info-code.ts";
import { Names, toCamel, toKebab } from "./names.ts";
import { Notes, type Note } from "./notes.ts";
import { writeOutput } from "./output-code.ts";
import { Paths } from "./paths.ts";
import { valueNames } from "./primitive-code.ts";
import { SchemaWriter } from "./schema-code.ts";
import { SecurityWriter } from "./security-code.ts";

const methods = ["get", "post", "put", "patch", "delete", "query"];
const others = ["head", "options", "trace"];

/** What is written for a document. */
export interface Stubs {
  /** The texts of the modules, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The number of operations that are written. */
  readonly count: number;
  /** What cannot be expressed, by operation as the lock names it, such as `GET /users/{id}`. */
  readonly notes: ReadonlyMap<string, readonly Note[]>;
}

const ownNames = [
  ...["config", "routing", "description", "extras", "createOverride", "createFactory"],
  ...["createReplyFactory", "reply", "status", "message", "input", ...valueNames],
];

/** What is collected while the operations are written. */
class StubWriter {
  readonly #document: ApiDocument;
  readonly #names = new Names(ownNames);
  readonly #schemas: SchemaWriter;
  readonly #security: SecurityWriter;
  readonly #factories: Factories;
  readonly #paths = new Paths();
  readonly #shapes = new Set<string>();
  readonly #modules = new Map<string, Code[]>();
  readonly #routes: Code[] = [];
  readonly #extras: Code[] = [];
  readonly #skipped: Code[] = [];
  readonly #notes = new Map<string, Notes>();
  #isNested = false;
  #takesFiles = false;
  #hasCookies = false;

  constructor(document: ApiDocument) {
    this.#document = document;
    this.#schemas = new SchemaWriter(document, this.#names);
    this.#security = new SecurityWriter(document, this.#names);
    this.#factories = new Factories(this.#names);
  }

  run(): Stubs {
    const items = Object.entries(toObject(this.#document.root["paths"]));
    for (const [path, given] of items) {
      if (path.startsWith("x-")) continue;
      const item = this.#document.resolve(given);
      for (const method of methods) {
        const own = item[method] ?? (method === "query" ? item["x-query"] : undefined);
        if (isObject(own)) this.#add(path, method, item, this.#document.resolve(own));
      }
      for (const method of others)
        if (isObject(item[method])) this.#skip(path, method, toReason(method));
      for (const method of Object.keys(toObject(item["additionalOperations"])))
        this.#skip(path, method, "The method has no counterpart.");
    }
    for (const [path, method] of this.#document.twins)
      this.#skip(path, method, "Another operation has the same path.");
    if (this.#routes.length === 0)
      throw new UsageError("The document has no operations: there is nothing to write.");
    for (const [name, raw] of Object.entries(
      toObject(toObject(this.#document.root["components"])["schemas"]),
    ))
      if (isObject(raw))
        this.#schemas.writeReference(
          { $ref: toReference(name) },
          { direction: "response", wire: "json" },
        );
    const told = new Map<string, readonly Note[]>();
    const files = this.#toFiles(told);
    return { files, count: this.#routes.length, notes: new Map([...told, ...this.#listNotes()]) };
  }

  #skip(path: string, method: string, reason: string): void {
    const name = `${method.toUpperCase()} ${path}`;
    const notes = new Notes();
    notes.add("", reason);
    this.#notes.set(name, notes);
    this.#skipped.push(todo(`${name}: ${reason}`));
  }

  #add(path: string, method: string, item: JsonObject, operation: JsonObject): void {
    const notes = new Notes();
    const input = writeInput(
      this.#schemas,
      this.#paths,
      { method, path },
      { item, operation },
      notes,
    );
    const shape = `${method} ${input?.route.shape}`;
    if (!input) return this.#skip(path, method, "No route can have this path.");
    if (this.#shapes.has(shape))
      return this.#skip(path, method, "Another operation has the same path.");
    this.#shapes.add(shape);
    const output = writeOutput(this.#schemas, operation, notes);
    const base = this.#factories.find(output.base, output.errorBody);
    const { factory, scopes, isOptional } = this.#security.useFactory(base, operation, notes);
    const more = this.#readMore(item, operation, notes);
    const extra: JsonObject = {
      ...input.extra,
      ...output.extra,
      ...(isOptional && { isOptional }),
      ...(Object.keys(more).length > 0 && { more }),
    };
    if (Object.keys(extra).length > 0)
      this.#extras.push(code`${`${method} ${input.route.path}`}: ${extra}`);
    this.#isNested ||= input.isNested;
    this.#takesFiles ||= input.takesFiles;
    this.#hasCookies ||= input.hasCookies;
    if (/[^\x21-\x7e]|[<>"^`|?#]/.test(path.replaceAll(/\{[^}]*\}/g, "")))
      notes.add("", "Documents encode characters of the path.");
    if (path.length > 1 && path.endsWith("/"))
      notes.add("", "The path in documents has no slash at its end.");
    const id = operation["operationId"];
    const name = this.#names.take(
      toCamel(
        typeof id === "string" && id !== ""
          ? id
          : `${method} ${path.replaceAll(/\{(.*?)\}/g, "by $1")}`,
      ),
    );
    const tags = toList(operation["tags"])
      .map(toText)
      .filter((tag) => tag !== "");
    const member = (option: string, value: Json | undefined): readonly Code[] =>
      value === undefined || value === "" ? [] : [code`${identifier(option)}: ${value}`];
    const members = [
      ...member("method", method),
      ...member("operationId", typeof id === "string" ? id : undefined),
      ...member("shortDescription", textOf(operation["summary"])),
      ...member("description", textOf(operation["description"])),
      ...member("tag", tags.length > 1 ? tags : tags[0]),
      ...member("deprecated", operation["deprecated"] === true ? true : undefined),
      ...member("scope", scopes.length > 0 ? scopes : undefined),
      ...input.members,
      ...output.members,
      code`handler: async () => {\nthrow ${imported("createHttpError", "http-errors")}(501, ${"Not implemented yet"});\n}`,
    ];
    const build = identifier(output.isVoid ? "buildVoid" : "build");
    const module = `endpoints/${toKebab(tags[0] ?? "endpoints")}`;
    const comments = join(notes.untold.map(todo), nothing);
    const stubs = this.#modules.get(module) ?? [];
    this.#modules.set(module, stubs);
    stubs.push(
      code`${comments}export const ${identifier(name)} = ${factory}${input.middleware}.${build}(${block(members)});`,
    );
    this.#routes.push(
      code`${key(`${method} ${input.route.path}`)}: ${imported(name, `./${module}`)}`,
    );
    this.#notes.set(`${method.toUpperCase()} ${path}`, notes);
  }

  /** Returns the members of an operation that only documents have. */
  #readMore(item: JsonObject, operation: JsonObject, notes: Notes): JsonObject {
    const servers = operation["servers"] ?? item["servers"];
    const own = Object.entries(operation).filter(
      ([name]) => name === "externalDocs" || (name.startsWith("x-") && !["x-query"].includes(name)),
    );
    for (const name of Object.keys(toObject(operation["callbacks"])))
      notes.add(`callback ${name}`, `The callback ${name} is not written.`);
    return { ...Object.fromEntries(own), ...(servers !== undefined && { servers }) };
  }

  #listNotes(): ReadonlyMap<string, readonly Note[]> {
    const all = new Map<string, readonly Note[]>();
    for (const [name, notes] of this.#notes) all.set(name, notes.list());
    return all;
  }

  #toFiles(told: Map<string, readonly Note[]>): ReadonlyMap<string, string> {
    const factories = this.#security.toCode(this.#factories.declarations);
    const info = writeInfo(this.#document, this.#schemas, this.#extras, told);
    const bodies: [string, Code][] = [
      ...[...this.#modules].map(([name, stubs]): [string, Code] => [name, join(stubs, code`\n\n`)]),
      ["factories", factories],
      ["documents", info],
      ["api", this.#writeApi()],
      ["schemas", this.#schemas.constants.code],
    ];
    const texts = bodies
      .filter(([, body]) => body.text !== "")
      .map(([name, body]): [string, string] => [`${name}.ts`, toModule(body, name)]);
    const imports = new Set(bodies.flatMap(([, body]) => [...body.imports.values()]));
    const templates = ["values", "replies", "override"].filter((name) => imports.has(`./${name}`));
    return new Map([
      ...texts,
      ...templates.map((name) => [`${name}.ts`, readTemplate(name)] as const),
    ]);
  }

  #writeApi(): Code {
    const members = [
      code`http: { listen: 8090 }`,
      code`cors: false`,
      code`docs: { ui: ${"swagger"}, ...${imported("description", "./documents")} }`,
      ...(this.#isNested ? [code`queryParser: ${"extended"}`] : []),
      ...(this.#takesFiles ? [code`upload: true`] : []),
      ...(this.#hasCookies ? [code`cookies: true`] : []),
    ];
    return code`${join(this.#skipped, nothing)}export const routing = ${block(this.#routes)} satisfies ${importedType("Routing", "sallyport")};

export const config = ${imported("createConfig", "sallyport")}(${block(members)});

export { description } from ${"./documents.js"};`;
  }
}

const toReason = (method: string): string =>
  method === "head"
    ? "HEAD is answered as GET, and not described."
    : "The method has no counterpart.";

const toReference = (name: string): string =>
  `#/components/schemas/${name.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25")}`;

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

const readTemplate = (name: string): string =>
  readFileSync(new URL(`../../templates/${name}.ts`, import.meta.url), "utf8");

/** Writes the modules for a document, without a format. */
export const toPlainStubs = (document: ApiDocument): Stubs => new StubWriter(document).run();

/** Writes the modules for a document. */
export const toStubs = async (document: ApiDocument): Promise<Stubs> => {
  const stubs = toPlainStubs(document);
  const files = new Map<string, string>();
  for (const [name, text] of stubs.files)
    files.set(name, await format(text, { parser: "typescript", printWidth: 100 }));
  return { ...stubs, files };
};
