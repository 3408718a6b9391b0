import { z } from "zod";
import { selectActive } from "../endpoint/declared-errors.ts";
import { describeFields } from "../endpoint/deprecation.ts";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import {
  toEndpointSources,
  type InputSource,
  type SourcesByMethod,
} from "../endpoint/input-sources.ts";
import type { AnyMiddleware } from "../endpoint/middleware.ts";
import type { Security } from "../endpoint/security.ts";
import { methodFacts, type Method } from "../http/method.ts";
import { toQueryParser, type QueryParser } from "../http/query.ts";
import { parsePathPattern, type Segment } from "../routing/path-pattern.ts";
import type { EndpointEntry, WalkOptions } from "../routing/walk-routing.ts";
import { isForm, readRawType, takesFiles, takesRawBody } from "../schemas/bodies.ts";
import { readContent } from "../schemas/content.ts";
import { readPagination } from "../schemas/paginated.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import {
  isJson,
  listErrors,
  listSuccesses,
  type DeclaredErrorReply,
  type DeclaredReply,
} from "./replies.ts";

/** The parts of a configuration that a document needs; the result of `createConfig` is accepted. */
export interface DocumentedConfig extends WalkOptions {
  readonly inputSources?: SourcesByMethod | undefined;
  readonly upload?: unknown;
  readonly queryParser?: unknown;
  readonly app?: unknown;
  readonly requestTimeout?: number | undefined;
}

/** The part of a request that a field of the input comes from. */
export type Location = "path" | "header" | "cookie" | "query" | "body";

export interface BodyDeclaration {
  readonly kind: "form" | "files" | "json" | "raw";
  readonly mediaType: string;
}

/** Formats a route for messages, such as `GET /users/:id`. */
export const formatRoute = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path}`;

/** What an operation takes and sends: an endpoint, served at a path with a method. */
export class Operation {
  readonly method: Method;
  /** Whether the operation changes nothing. */
  readonly isSafe: boolean;
  /** Whether the operation sends what its URL names, as a link does. */
  readonly isRetrieval: boolean;
  readonly path: string;
  readonly endpoint: AnyEndpoint;
  /** The route as it appears in messages, such as `GET /users/:id`. */
  readonly route: string;
  readonly segments: readonly Segment[];
  readonly parameters: readonly string[];
  readonly sources: readonly InputSource[];
  /** The schemas that parse the input: those of the middlewares, then the endpoint's own. */
  readonly inputs: readonly ZodSchema[];
  /** The schemas of the declared header fields: those of the middlewares, then the endpoint's own. */
  readonly headers: readonly ZodSchema[];
  readonly security: readonly Security[];
  readonly queryParser: QueryParser;
  readonly #timeout: number;
  /** The middlewares that do something for the method. */
  readonly #active: readonly AnyMiddleware[];
  readonly #setsFields: boolean;

  constructor({ method, path, endpoint }: EndpointEntry, config: DocumentedConfig) {
    this.method = method;
    this.isSafe = methodFacts[method].isSafe;
    this.isRetrieval = this.isSafe && !methodFacts[method].takesBody;
    this.path = path;
    this.endpoint = endpoint;
    this.route = formatRoute(method, path);
    this.segments = parsePathPattern(path);
    this.parameters = this.segments.flatMap((segment) => segment.names);
    this.sources = toEndpointSources(endpoint.inputSources, config.inputSources, method);
    const stages: readonly (AnyEndpoint | AnyMiddleware)[] = [...endpoint.middlewares, endpoint];
    this.inputs = stages.flatMap(({ inputSchema }) => inputSchema ?? []);
    this.headers = stages.flatMap((stage) => {
      const isWrite = !this.isSafe && "writeHeaders" in stage;
      return (isWrite ? stage.writeHeaders : stage.headersSchema) ?? [];
    });
    this.security = endpoint.middlewares.flatMap(({ security }) => security ?? []);
    this.queryParser = toQueryParser(config);
    this.#active = selectActive(endpoint.middlewares, method);
    this.#setsFields =
      endpoint.deprecation !== undefined || this.#active.some(({ sentFields }) => sentFields);
    this.#timeout = endpoint.timeout ?? config.requestTimeout ?? 0;
  }

  get hasBody(): boolean {
    return this.sources.includes("body");
  }

  /** The body that the schemas of the input declare. */
  get body(): BodyDeclaration {
    if (this.inputs.some(takesRawBody)) {
      const types = this.inputs.flatMap((schema) => readRawType(schema) ?? []);
      return { kind: "raw", mediaType: types[0] ?? "*/*" };
    }
    if (this.sources.includes("files") && this.inputs.some(takesFiles))
      return { kind: "files", mediaType: "multipart/form-data" };
    return this.inputs.some(isForm)
      ? { kind: "form", mediaType: "application/x-www-form-urlencoded" }
      : { kind: "json", mediaType: "application/json" };
  }

  get successes(): readonly DeclaredReply[] {
    const successes = listSuccesses(this.endpoint);
    return this.isSafe && this.hasVersion ? [...successes, notModified] : successes;
  }

  /** The statuses of the errors that the framework itself sends. */
  get #ownErrors(): ReadonlySet<number> {
    const { inputs, headers, parameters, hasBody } = this;
    const hasInput = [inputs, headers, parameters].some(({ length }) => length > 0);
    const { outputSchema: output } = this.endpoint;
    const sendsFile = output && readContent(output)?.kind === "file";
    return new Set([
      ...(hasInput || hasBody ? [400] : []),
      ...(this.security.length > 0 ? [401] : []),
      ...(hasBody ? [413, 415] : []),
      ...(sendsFile ? [404, 412, 416] : []),
      500,
      ...(this.#timeout > 0 ? [503] : []),
    ]);
  }

  get errors(): readonly DeclaredErrorReply[] {
    return listErrors(this.endpoint, this.#ownErrors, this.method);
  }

  /** Lists the header fields that are set before a status is sent, each with a description. */
  listSentFields(status: number): Readonly<Record<string, string>> {
    const { deprecation, errors = {} } = this.endpoint;
    const active = this.#active;
    if (!this.#setsFields) return {};
    const sender = active.findLastIndex(
      (one) => status in (one.errors ?? {}) || (status === 401 && one.security),
    );
    const isOthers = status in errors || (status !== 401 && this.#ownErrors.has(status));
    const isEarly = sender >= 0 && !isOthers;
    const fields = active.slice(0, isEarly ? sender + 1 : undefined).map((one) => one.sentFields);
    return Object.assign({}, ...fields, isEarly ? {} : describeFields(deprecation)) as Readonly<
      Record<string, string>
    >;
  }

  /** Whether successful replies have a version, as ETag or Last-Modified. */
  get hasVersion(): boolean {
    return this.endpoint.conditions?.version !== undefined;
  }

  /** The schema of the header fields with conditions; undefined if the endpoint has none for the method. */
  get conditions(): ZodSchema | undefined {
    const { ifMatch } = this.endpoint.conditions ?? {};
    if (this.isSafe) return this.hasVersion ? toReadConditions() : undefined;
    return ifMatch && toWriteConditions(ifMatch === "required");
  }

  /** Whether successful replies link to the neighbouring pages. */
  get hasLinks(): boolean {
    const { outputSchema: output } = this.endpoint;
    return this.isRetrieval && !!output && readPagination(output)?.hasLinks === true;
  }

  /** The name of the items in the page that the operation returns; undefined if it returns none. */
  get itemsName(): string | undefined {
    const { outputSchema } = this.endpoint;
    if (!outputSchema || !this.#sendsWhole(outputSchema)) return undefined;
    const { fields } = readTopLevel(outputSchema);
    const isPage =
      fields.has("nextCursor") || ["total", "limit", "offset"].every((name) => fields.has(name));
    if (!isPage) return undefined;
    const wanted = readPagination(outputSchema)?.itemsName ?? "items";
    const isList = (name: string): boolean => fields.get(name)?._zod.def.type === "array";
    return [wanted, ...fields.keys()].find(isList);
  }

  /** Checks whether a reply contains the whole output, either as its body or as `data`, as in the default envelope. */
  #sendsWhole(output: ZodSchema): boolean {
    return this.successes
      .flatMap(({ bodies }) => bodies)
      .some(({ type, schema }) => {
        if (type === null || !(isJson(type) || type.includes("*"))) return false;
        if (schema === output) return true;
        const fields = schema && readTopLevel(schema).fields;
        const def = (fields?.get("status") as z.core.$ZodTypes | undefined)?._zod.def;
        return (
          def?.type === "literal" &&
          def.values.includes("success") &&
          fields?.get("data") === output
        );
      });
  }

  /** Returns where a field of the input comes from, as far as its name tells; undefined if it has no source. */
  locate(name: string): Location | undefined {
    const has = (source: InputSource): boolean => this.sources.includes(source);
    if (has("params") && this.parameters.includes(name)) return "path";
    if (has("headers") && name.startsWith("x-")) return "header";
    if (has("query")) return "query";
    if (has("body")) return "body";
    return has("cookies") || has("signedCookies") ? "cookie" : undefined;
  }
}

const notModified: DeclaredReply = { status: 304, bodies: [], isConditional: true };

const anOptional = (description: string) => z.string().optional().describe(description);

/** Only documents and generated clients need the schemas, so they are not created at startup. */
const toReadConditions = (): ZodSchema =>
  z.object({
    "if-none-match": anOptional("The ETag of a version that need not be sent again."),
    "if-modified-since": anOptional("The Last-Modified of a version that need not be sent again."),
  });

const toWriteConditions = (isRequired: boolean): ZodSchema => {
  const tag = z.string().describe("The ETag of the version to change, or * for any.");
  return z.object({
    "if-match": isRequired ? tag : tag.optional(),
    "if-none-match": anOptional("With *, only what does not exist yet is written."),
    ...(!isRequired && {
      "if-unmodified-since": anOptional("The Last-Modified of the version to change."),
    }),
  });
};

export const listOperations = (
  entries: readonly EndpointEntry[],
  config: DocumentedConfig,
): readonly Operation[] => entries.map((entry) => new Operation(entry, config));
