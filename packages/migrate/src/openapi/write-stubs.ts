import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lockDocument } from "@sallyport/contract";
import { format } from "prettier";
import { UsageError } from "../usage-error.ts";
import { writeComponents } from "./components-code.ts";
import {
  readDocument,
  toList,
  toObject,
  toText,
  type ApiDocument,
  type JsonObject,
} from "./document.ts";
import { writeInput } from "./input-code.ts";
import { Names, toCamel, toKebab, toKey, toRoutePath } from "./names.ts";
import { writeOutput, type Base } from "./output-code.ts";
import { SchemaWriter, toComments } from "./schema-code.ts";
import { SecurityWriter } from "./security-code.ts";

const mark = "TODO(sallyport-migrate):";
const methods = ["get", "post", "put", "patch", "delete"];

interface Stub {
  readonly name: string;
  readonly code: string;
  readonly uses: ReadonlySet<string>;
  readonly factory: string;
}

/** What is collected while the operations are written. */
class Stubs {
  readonly document: ApiDocument;
  readonly names = new Names();
  readonly schemas: SchemaWriter;
  readonly security: SecurityWriter;
  readonly bases = new Set<Base>();
  /** The endpoints of each module. */
  readonly modules = new Map<string, Stub[]>();
  readonly routes: string[] = [];
  isNested = false;
  takesFiles = false;

  constructor(document: ApiDocument) {
    this.document = document;
    for (const name of [
      "factory",
      "listFactory",
      "emptyFactory",
      "config",
      "routing",
      "description",
    ])
      this.names.take(name);
    this.schemas = new SchemaWriter(document, this.names);
    this.security = new SecurityWriter(document, this.names);
  }

  add(path: string, method: string, item: JsonObject, operation: JsonObject): void {
    const id = toText(operation["operationId"]);
    const name = this.names.take(
      toCamel(id ?? `${method} ${path.replaceAll(/\{(.*?)\}/g, "by $1")}`),
    );
    const input = writeInput(this.document, this.schemas, method, item, operation);
    const output = writeOutput(this.document, this.schemas, operation);
    const { name: factory, scopes, notes } = this.security.useFactory(output.base, operation);
    this.bases.add(output.base);
    this.isNested ||= input.isNested;
    this.takesFiles ||= input.members.some((member) => member.includes("ez.upload("));
    const tags = toList(operation["tags"]).map(String);
    const isVoid = !output.members.some((member) => member.startsWith("output:"));
    const members = [
      `method: ${JSON.stringify(method)}`,
      ...(id === undefined ? [] : [`operationId: ${JSON.stringify(id)}`]),
      ...textMember("shortDescription", operation["summary"]),
      ...textMember("description", operation["description"]),
      ...(tags.length > 0 ? [`tag: ${JSON.stringify(tags.length === 1 ? tags[0] : tags)}`] : []),
      ...(operation["deprecated"] === true ? ["deprecated: true"] : []),
      ...(scopes.length > 0 ? [`scope: ${JSON.stringify(scopes)}`] : []),
      ...input.members,
      ...output.members,
      `handler: async () => {\nthrow createHttpError(501, "Not implemented yet");\n}`,
    ];
    const comments = toComments([
      ...(path.length > 1 && path.endsWith("/") ? [slashNote(path)] : []),
      ...[...notes, ...input.notes, ...output.notes],
    ]);
    const code = `${comments}export const ${name} = ${factory}.${isVoid ? "buildVoid" : "build"}({\n${members.join(",\n")},\n});`;
    const module = toKebab(tags[0] ?? "endpoints");
    const stubs = this.modules.get(module) ?? [];
    this.modules.set(module, stubs);
    stubs.push({ name, code, factory, uses: new Set([...input.uses, ...output.uses]) });
    this.routes.push(`${toKey(`${method} ${toRoutePath(path)}`)}: ${name}`);
  }
}

const slashNote = (path: string): string =>
  `Requests to ${path} are answered as well; the path in documents has no slash at its end.`;

const textMember = (name: string, value: unknown): readonly string[] => {
  const text = toText(value);
  return text === undefined ? [] : [`${name}: ${JSON.stringify(text)}`];
};

const baseCode: Readonly<Record<Base, string>> = {
  factory: `/** Sends the bare output, and errors as problem details. */
export const factory = problemEndpointsFactory;`,
  listFactory: `/** Sends the \`items\` of the output as an array, and errors as problem details. */
export const listFactory = new EndpointsFactory(
  new ResultHandler({
    positive: (output) => arrayResultHandler.listPositive(output),
    negative: (data, type, code) => problemResultHandler.listNegative(data, type, code),
    handler: (result: Result<{ readonly items: readonly unknown[] }>) => {
      if (result.error) return problemResultHandler.handle(result);
      return result.response.json(result.output.items);
    },
  }),
);`,
  emptyFactory: `/** Sends no body, and errors as problem details. */
export const emptyFactory = new EndpointsFactory(
  new ResultHandler({
    positive: { schema: z.undefined(), mimeType: null },
    negative: (data, type, code) => problemResultHandler.listNegative(data, type, code),
    handler: (result) => {
      if (result.error) return problemResultHandler.handle(result);
      return result.response.end();
    },
  }),
);`,
};

const importOf = (names: readonly string[], module: string): string =>
  names.length === 0 ? "" : `import { ${names.join(", ")} } from "${module}";\n`;

/** Imports the names that a text uses. */
const importUsed = (text: string, names: readonly string[], module: string): string =>
  importOf(
    names.filter((name) => new RegExp(`\\b${name.replace(/^type /, "")}\\b`).test(text)),
    module,
  );

const writeFactories = (stubs: Stubs): string => {
  const { middlewares, factories } = stubs.security.finish();
  const text = [
    ...[...stubs.bases].sort().map((base) => baseCode[base]),
    ...middlewares,
    ...factories,
  ].join("\n\n");
  const names = ["arrayResultHandler", "EndpointsFactory", "Middleware", "problemEndpointsFactory"];
  return [
    middlewares.length > 0 ? 'import createHttpError from "http-errors";\n' : "",
    importUsed(
      text,
      [...names, "problemResultHandler", "ResultHandler", "type Result"],
      "sallyport",
    ),
    importUsed(text, ["z"], "zod"),
    `\n${text}\n`,
  ].join("");
};

const writeModule = (stubs: readonly Stub[], writer: SchemaWriter): string => {
  const text = stubs.map((stub) => stub.code).join("\n\n");
  const uses = new Set(stubs.flatMap((stub) => [...stub.uses]));
  const constants = [...uses].map((name) => writer.constants.get(name) ?? name).sort();
  return [
    'import createHttpError from "http-errors";\n',
    importUsed(text, ["ez"], "sallyport"),
    importUsed(text.replaceAll("ez.", ""), ["z"], "zod"),
    importOf([...new Set(stubs.map((stub) => stub.factory))].sort(), "../factories.js"),
    importOf(constants, "../schemas.js"),
    `\n${text}\n`,
  ].join("");
};

const writeApi = (stubs: Stubs): string => {
  const { root } = stubs.document;
  const info = toObject(root["info"]);
  const servers = toList(root["servers"]);
  const tags = toList(root["tags"])
    .map(toObject)
    .filter((tag) => toText(tag["description"]) !== undefined);
  const described = {
    info: {
      title: toText(info["title"]) ?? "API",
      version: toText(info["version"]) ?? "1.0.0",
      ...textEntry(info),
    },
    ...(servers.length > 0 && { servers }),
    ...(tags.length > 0 && {
      tags: Object.fromEntries(tags.map((tag) => [String(tag["name"]), tag["description"]])),
    }),
  };
  const imports = [...stubs.modules].map(([module, list]) =>
    importOf(
      list.map((stub) => stub.name),
      `./endpoints/${module}.js`,
    ),
  );
  const nested = stubs.isNested ? '\nqueryParser: "extended",' : "";
  const upload = stubs.takesFiles ? "\nupload: true," : "";
  return `import { createConfig, type Routing } from "sallyport";
${imports.join("")}
export const routing = {
${stubs.routes.join(",\n")},
} satisfies Routing;

export const config = createConfig({
http: { listen: 8090 },
cors: false,${nested}${upload}
});

/** What \`generateOpenApi({ routing, config, ...description })\` says about the whole API. */
export const description = ${JSON.stringify(described)};
`;
};

const textEntry = (info: JsonObject): JsonObject => {
  const text = toText(info["description"]);
  return text === undefined ? {} : { description: text };
};

/** Returns the modules for a document, by their paths. */
export const toStubs = async (document: ApiDocument): Promise<ReadonlyMap<string, string>> => {
  const stubs = new Stubs(document);
  for (const [path, given] of Object.entries(toObject(document.root["paths"]))) {
    const item = document.resolve(given);
    for (const method of methods)
      if (item[method] !== undefined) stubs.add(path, method, item, toObject(item[method]));
  }
  if (stubs.routes.length === 0)
    throw new UsageError("The document has no operations: there is nothing to write.");
  const schemas = writeComponents(document, stubs.schemas);
  const files: [string, string][] = [
    ...(schemas === undefined ? [] : [["schemas.ts", schemas] satisfies [string, string]]),
    ["factories.ts", writeFactories(stubs)],
    ...[...stubs.modules].map(([module, list]): [string, string] => [
      `endpoints/${module}.ts`,
      writeModule(list, stubs.schemas),
    ]),
    ["api.ts", writeApi(stubs)],
  ];
  const formatted = files.map(async ([name, text]): Promise<[string, string]> => [
    name,
    await format(text, { parser: "typescript", printWidth: 100 }),
  ]);
  return new Map(await Promise.all(formatted));
};

/** Where stubs are written. */
export interface StubOptions {
  /** Whether files that exist are replaced. */
  readonly isForced: boolean;
  /** The directory that the report counts from, which gets the lock. */
  readonly directory: string;
}

const lock = "api.lock.json";

/**
 * Writes endpoints from a document, and a lock with which `sallyport lock --check` compares them with it. Returns the
 * report.
 *
 * @throws {@link UsageError} when the document cannot be read, or a file exists.
 */
export const writeStubs = async (
  file: string,
  out: string,
  { isForced, directory }: StubOptions,
): Promise<string> => {
  const files = await toStubs(readDocument(file));
  const known = [...files.keys()].find((name) => existsSync(join(out, name)));
  if (known !== undefined && !isForced)
    throw new UsageError(
      `${join(out, known)} exists: choose another --out, or replace files with --force.`,
    );
  const marks: string[] = [];
  for (const [name, text] of files) {
    const path = join(out, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    for (const [index, line] of text.split("\n").entries())
      if (line.includes(mark))
        marks.push(
          `  ${relative(directory, path)}:${index + 1} ${line.slice(line.indexOf(mark) + mark.length).trim()}\n`,
        );
  }
  return [
    `Written to ${relative(directory, out) || "."}: ${[...files.keys()].join(", ")}\n`,
    `Marked for you (${marks.length})\n${marks.join("") || "  none\n"}`,
    "Needed: npm install sallyport zod express http-errors\n        npm install --save-dev @sallyport/contract\n",
    writeLock(file, directory, relative(directory, join(out, "api.ts"))),
  ].join("\n");
};

/** Locks what the document promises, and returns what to tell; a lock that exists is left, with what it accepts. */
const writeLock = (file: string, directory: string, entry: string): string => {
  const path = join(directory, lock);
  if (existsSync(path)) return `${lock} exists, and was left as it is.\n`;
  try {
    lockDocument(file, path);
  } catch (error) {
    return `No lock was written: ${error instanceof Error ? error.message : String(error)}\n`;
  }
  return `Locked: ${lock} holds what the document promises. To compare the endpoints with it:\n        npx sallyport lock --check ${entry}\n`;
};
