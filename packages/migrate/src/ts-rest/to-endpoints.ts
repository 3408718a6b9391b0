import { STATUS_CODES } from "node:http";
import { readFileSync } from "node:fs";
import { format } from "prettier";
import {
  block,
  code,
  identifier,
  imported,
  importedType,
  join,
  key,
  nothing,
} from "../openapi/code.ts";
import { todo, toModule, type Code } from "../openapi/code.ts";
import { Names, toCamel } from "../openapi/names.ts";
import type { FoundRoute, Route } from "./load-contracts.ts";
import { writeInput } from "./write-input.ts";
import { toKind } from "./schema-kinds.ts";

/** The modules for contracts. */
export interface Endpoints {
  readonly files: ReadonlyMap<string, string>;
  readonly count: number;
  /** The routes that no endpoint serves. */
  readonly skipped: readonly string[];
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Writes how a module reaches a route, such as `contract.posts.read`. */
const writeAccess = ([exported, ...rest]: FoundRoute["names"], module: string): Code =>
  join(
    [
      imported(exported, module),
      ...rest.map((name) =>
        /^[A-Za-z_$][\w$]*$/.test(name) ? code`.${identifier(name)}` : code`[${name}]`,
      ),
    ],
    nothing,
  );

interface Output {
  readonly members: readonly Code[];
  readonly factory: "factory" | "listFactory";
  readonly isVoid: boolean;
}

/** Writes the status and the body of a success, and what of them is not expressed. */
const writeOutput = (route: Route, access: Code, notes: string[]): Output => {
  const statuses = Object.keys(route.responses).map(Number);
  const successes = statuses.filter((status) => status >= 200 && status < 300);
  const [status = 200, ...others] = successes;
  if (others.length > 0) notes.push(`It may also succeed with ${others.join(", ")}.`);
  const redirects = statuses.filter((one) => one < 200 || (one >= 300 && one < 400));
  if (redirects.length > 0) notes.push(`It may also respond with ${redirects.join(", ")}.`);
  const kind = toKind(route.responses[status], "out");
  const schema = code`${access}.responses[${status}]`;
  const found = status === 200 ? [] : [code`statusCode: ${status}`];
  const plain = { members: found, factory: "factory", isVoid: false } as const;
  switch (kind.type) {
    case "object":
      return { ...plain, members: [code`output: ${schema}`, ...found] };
    case "array": {
      const items = code`${imported("z", "zod")}.object({ items: ${schema} })`;
      return { ...plain, members: [code`output: ${items}`, ...found], factory: "listFactory" };
    }
    case "none":
      if (status !== 204) notes.push("A success has no body: end the response in the handler.");
      return { ...plain, isVoid: true };
    case "types-only":
      notes.push("Only a type says what it returns: add a schema as `output`.");
      return plain;
    default:
      notes.push(
        kind.type === "content"
          ? "A success has another media type: write a result handler for it."
          : "A success is no object: send it in the handler.",
      );
      return plain;
  }
};

const writeErrors = (route: Route, access: Code, notes: string[]): readonly Code[] => {
  const errors = Object.entries(route.responses).flatMap(([status, body]) => {
    if (Number(status) < 400) return [];
    const description = STATUS_CODES[status] ?? "Error";
    const kind = toKind(body, "out");
    if (kind.type === "types-only" || kind.type === "content")
      notes.push(`No schema says what a ${status} has in its body.`);
    const hasSchema = !["none", "types-only", "content"].includes(kind.type);
    // faults are thrown without data
    const last = Number(status) < 500 ? nothing : code`.optional()`;
    const schema = hasSchema
      ? code`, schema: ${access}.responses[${Number(status)}]${last}`
      : nothing;
    return [code`${Number(status)}: { description: ${description}${schema} }`];
  });
  return errors.length === 0 ? [] : [code`errors: ${block(errors)}`];
};

/** Returns why no route has such a path. */
const toObstacle = ({ method, path }: Route): string | undefined => {
  if (!/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method)) return "No endpoint has its method.";
  if (!/^\/(?:[\w.~!$&'+,;=@%-]+|:[A-Za-z_$][\w$]*|\/)*$/.test(path) || path.includes("//"))
    return "Its path has an optional parameter, a wildcard, or another pattern: write it as routes have it.";
  return undefined;
};

const writeEndpoint = ({ names, route }: FoundRoute, name: string, module: string): Code => {
  const notes: string[] = [];
  const access = writeAccess(names, module);
  const input = writeInput(route, access, notes);
  const { members, factory, isVoid } = writeOutput(route, access, notes);
  const errors = writeErrors(route, access, notes);
  if (route.metadata !== undefined) notes.push("Its metadata is not used.");
  const [summary, description] = [textOf(route.summary), textOf(route.description)];
  const all = [
    ...(summary === undefined ? [] : [code`shortDescription: ${summary}`]),
    ...(description === undefined ? [] : [code`description: ${description}`]),
    ...(route.deprecated === true ? [code`deprecated: ${true}`] : []),
    ...input,
    ...members,
    ...errors,
    code`handler: () => {\nthrow ${imported("createHttpError", "http-errors")}(${501}, ${"Not Implemented"});\n}`,
  ];
  const build = isVoid ? code`buildVoid` : code`build`;
  return code`${join(notes.map(todo), nothing)}export const ${identifier(name)} = ${imported(factory, "./factory")}.${build}(${block(all)});`;
};

/**
 * Writes endpoints for the routes of contracts.
 *
 * @param module the module of the contracts, as `endpoints.ts` imports it
 */
export const toEndpoints = async (
  found: readonly FoundRoute[],
  module: string,
): Promise<Endpoints> => {
  const taken = new Names([
    ...found.map(({ names: [exported] }) => exported),
    "factory",
    "listFactory",
    "routing",
  ]);
  const endpoints: Code[] = [];
  const routes: Code[] = [];
  const skipped: string[] = [];
  for (const one of found) {
    const { method, path } = one.route;
    const name = taken.take(toCamel(one.names.slice(1).join(" ") || one.names[0]));
    const obstacle = toObstacle(one.route);
    endpoints.push(writeEndpoint(one, name, module));
    if (obstacle !== undefined) {
      skipped.push(`${method} ${path}`);
      routes.push(code`${todo(`${method} ${path} is not served. ${obstacle}`)}`);
    } else
      routes.push(
        code`${key(`${method.toLowerCase()} ${path}`)}: ${imported(name, "./endpoints")},\n`,
      );
  }
  const files = new Map([
    [
      "factory.ts",
      readFileSync(new URL("../../templates/ts-rest-factory.ts", import.meta.url), "utf8"),
    ],
    ["endpoints.ts", toModule(join(endpoints, code`\n\n`), "endpoints")],
    [
      "routing.ts",
      toModule(
        code`export const routing = {\n${join(routes, nothing)}} satisfies ${importedType("Routing", "sallyport")};`,
        "routing",
      ),
    ],
  ]);
  for (const [name, text] of files)
    files.set(name, await format(text, { parser: "typescript", printWidth: 100 }));
  return { files, count: found.length, skipped };
};
