import { assertKeys } from "../endpoint/check-definition.ts";
import type { z } from "zod";
import type { ListNegative } from "../openapi/declared-responses.ts";
import { toOperationPlace } from "../openapi/operation-place.ts";
import { OperationIds } from "../openapi/path-templates.ts";
import type { ApiResponse } from "../results/api-response.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import { listRoutes } from "../routing/list-routes.ts";
import type { GenerateClientOptions } from "./options.ts";
import { exportedClasses, exportedTypes, readPart } from "./runtime-source.ts";
import { TypeNames } from "./type-names.ts";
import { toObject } from "./type-text.ts";
import { writeRoute } from "./write-route.ts";
import { RevivalWriter } from "./write-revival.ts";
import { toReceived, TypeWriter } from "./write-type.ts";

const header = `/* eslint-disable */
// Written by \`sallyport client\`. Do not change it: run the command again when the API has changed.
`;

/**
 * Generates a typed client of an API: one TypeScript file without dependencies.
 *
 * It exports `createClient`, the class of each error, and a type for each schema that has a name, and for the input, the body
 * and the replies of each route. The same API gives the same file.
 *
 * @throws DefinitionError when an option does not exist.
 * @throws RoutingError when the routing is wrong.
 * @throws OpenApiError when two routes have the same `operationId`.
 * @example
 * writeFileSync("client.ts", generateClient({ routing, config }));
 */
export const generateClient = (options: GenerateClientOptions): string => {
  assertKeys("generateClient", options, ["routing", "config", "format", "types"], "option");
  const { routing, config = {}, format = "string", types: isForInferred = false } = options;
  const entries = listRoutes(routing, config).flatMap((entry) =>
    entry.kind === "endpoint" ? entry : [],
  );
  const ids = new OperationIds(entries);
  const names = new TypeNames();
  const revival = format === "date" && !isForInferred ? new RevivalWriter() : undefined;
  const context = {
    ...{ names, writer: new TypeWriter(names), listNegative: createListNegative(), isForInferred },
    ...{ received: toReceived(revival !== undefined), revival },
  };
  const routes = entries.map((entry) =>
    writeRoute(toOperationPlace(entry, ids.find(entry), config), context),
  );
  const runtime = readPart("runtime");
  const reviving = readPart("revival");
  const settled = names.finish(
    toObject(routes.map(({ type }) => type)),
    listTaken(`${runtime}\n${reviving}`),
  );
  const types = [
    ...settled.declarations,
    `/** All routes by their keys: method and path. */\nexport interface Routes ${settled.text}`,
  ].join("\n\n");
  if (isForInferred) return `${header}${importedTypes}\n${types}\n${frozenRouting}`;
  const plans = `const plans: RoutePlans = ${toObject(routes.map(({ plan }) => plan))};`;
  const { queryParser } = config;
  return [
    header,
    `${types}\n`,
    clientText.replace(
      "QUERY_PARSER",
      queryParser === "extended" ? '{ queryParser: "extended", ...options }' : "options",
    ),
    ...(revival?.isUsed ? [`${reviving}\n`, ...revival.declarations] : []),
    `${plans}\n`,
    `// The client, the same for each API.\n\n${runtime}\n`,
    `export { ${exportedClasses.join(", ")} };`,
    `export type { ${exportedTypes.join(", ")} };\n`,
  ].join("\n");
};

const clientText = `/** A client of this API. */
export interface Client extends GeneratedClient<Routes> {}

/** What all clients have in common. */
export const Client: {
  /**
   * Tells whether there are more pages after one.
   *
   * @param response what \`provide\` resolves to, the page inside, or what \`request\` resolves to
   */
  readonly hasMore: (response: unknown) => boolean;
} = { hasMore: (response) => hasMore(response) };

/**
 * Creates a client of this API.
 *
 * @example
 * const client = createClient({ baseUrl: "https://api.example.com" });
 */
export const createClient = (options: ClientOptions): Client =>
  createPlainClient(QUERY_PARSER, plans) as unknown as Client;
`;

const importedTypes = `import type {
  ErrorReply,
  ErrorStatus,
  GeneratedClient,
  SuccessReply,
  SuccessStatus,
  UnexpectedReply,
} from "sallyport/client";
`;

const frozenRouting = `
/** A client of this API, as \`createClient<typeof routing>()\` of \`sallyport/client\` creates it. */
export interface Client extends GeneratedClient<Routes> {}

/** The routing map, for the compiler only. */
export declare const routing: { readonly "~client": Client };
`;

/** The names that a file has without those of the API: whatever begins with a capital letter in it. */
const listTaken = (runtime: string): ReadonlySet<string> =>
  new Set([
    ...["Client", "Routes", "Blob", "Date", "Exclude", "Uint8Array", "ArrayBuffer"],
    ...(dropComments(runtime).match(/\b[A-Z]\w*/g) ?? []),
  ]);

const dropComments = (source: string): string => {
  const [start, ...commented] = source.split("/**");
  return [start, ...commented.map((text) => text.slice(text.indexOf("*/")))].join("");
};

/** Asks each result handler once, so that each schema of it is written once. */
const createListNegative = (): ListNegative => {
  const known = new Map<AnyResultHandler, Map<z.ZodType | undefined, readonly ApiResponse[]>>();
  return (handler, data) => {
    const own = known.get(handler) ?? new Map<z.ZodType | undefined, readonly ApiResponse[]>();
    known.set(handler, own);
    const responses = own.get(data) ?? handler.listNegative(data);
    own.set(data, responses);
    return responses;
  };
};
