import type { z } from "zod";
import { listAdditions, type Additions } from "../../define/endpoint/additions.ts";
import { declaresStatus } from "../../define/endpoint/declared-errors.ts";
import { withMapping, type AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import type { AnyErrorMapping } from "../../define/endpoint/error-mapping.ts";
import {
  toEndpointSources,
  type InputSource,
  type SourcesByMethod,
} from "../../define/endpoint/input-sources.ts";
import { toChallenge, type Security } from "../../define/endpoint/security.ts";
import { methodFacts, type Method } from "../../basics/http/method.ts";
import { toQueryParser, type QueryParser } from "../../basics/http/query.ts";
import { toIdField } from "../../serve/request/request-id.ts";
import { parsePathPattern, type Segment } from "../../define/routing/path-pattern.ts";
import {
  formatRoute,
  type EndpointEntry,
  type WalkOptions,
} from "../../define/routing/walk-routing.ts";
import { isForm, readRawType, takesFiles, takesRawBody } from "../../basics/schemas/bodies.ts";
import { readContent } from "../../basics/schemas/content.ts";
import { readPagination } from "../../basics/schemas/paginated.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
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
  readonly onError?: AnyErrorMapping | undefined;
  readonly requestId?: boolean | { readonly header: string } | undefined;
}

/** The part of a request that a field of the input comes from. */
export type Location = "path" | "header" | "cookie" | "query" | "body";

export interface BodyDeclaration {
  readonly kind: "form" | "files" | "json" | "raw";
  readonly mediaType: string;
}

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
  /** What the middlewares add for the method, in the order in which they run. */
  readonly additions: readonly Additions[];
  /** Whether an option of the endpoint sets header fields on all responses. */
  readonly hasOwnFields: boolean;
  readonly queryParser: QueryParser;
  /** The header field with the id of a request, which each response has; undefined if there are no ids. */
  readonly idField: string | undefined;
  /** Whether the client may send the id. */
  readonly takesId: boolean;
  readonly #timeout: number;
  readonly #setsFields: boolean;
  #body: BodyDeclaration | undefined;

  constructor({ method, path, endpoint: own }: EndpointEntry, config: DocumentedConfig) {
    const endpoint = withMapping(own, config.onError);
    this.method = method;
    this.isSafe = methodFacts[method].isSafe;
    this.isRetrieval = this.isSafe && !methodFacts[method].takesBody;
    this.path = path;
    this.endpoint = endpoint;
    this.route = formatRoute(method, path);
    this.segments = parsePathPattern(path);
    this.parameters = this.segments.flatMap((segment) => segment.names);
    this.sources = toEndpointSources(endpoint.inputSources, config.inputSources, method);
    this.additions = listAdditions(endpoint.middlewares, method);
    const stages = [...endpoint.middlewares, endpoint];
    this.inputs = stages.flatMap(({ inputSchema }) => inputSchema ?? []);
    this.headers = [...this.additions, endpoint].flatMap(
      ({ headersSchema }) => headersSchema ?? [],
    );
    this.security = [...this.additions, endpoint].flatMap(({ security }) => security ?? []);
    this.#setsFields = this.additions.some((one) => one.sentFields ?? one.successFields);
    this.hasOwnFields = endpoint.middlewares.some((one) => one.option && one.sentFields);
    this.queryParser = toQueryParser(config);
    const { requestId = false } = config;
    this.takesId = typeof requestId === "object";
    this.idField = requestId === false ? undefined : toIdField(requestId);
    this.#timeout = endpoint.timeout ?? config.requestTimeout ?? 0;
  }

  get hasBody(): boolean {
    return this.sources.includes("body");
  }

  /** The body that the schemas of the input declare. */
  get body(): BodyDeclaration {
    return (this.#body ??= this.#findBody());
  }

  #findBody(): BodyDeclaration {
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
    return this.isSafe && this.conditions ? [...successes, notModified] : successes;
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
    const { additions, endpoint } = this;
    const own = status === 401 && toChallenge(this.security) !== undefined ? challengeField : {};
    if (!this.#setsFields) return own;
    const sender = additions.findLastIndex(
      (one) => declaresStatus(one.errors, status) || (status === 401 && one.security),
    );
    const isOthers = (): boolean =>
      declaresStatus(endpoint.errors, status) || (status !== 401 && this.#ownErrors.has(status));
    const senders = sender < 0 || isOthers() ? additions : additions.slice(0, sender + 1);
    return Object.assign(
      { ...own },
      ...senders.map(({ sentFields }) => sentFields),
      ...(status < 400 ? senders.map(({ successFields }) => successFields) : []),
    ) as Readonly<Record<string, string>>;
  }

  /** Returns the schema of the header fields with conditions; undefined if the method has none. */
  get conditions(): (() => ZodSchema) | undefined {
    return this.additions.find(({ conditions }) => conditions)?.conditions;
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

const challengeField: Readonly<Record<string, string>> = {
  "WWW-Authenticate": "How clients authenticate (RFC 9110, section 11.6.1).",
};

const notModified: DeclaredReply = { status: 304, bodies: [], isConditional: true };

export const listOperations = (
  entries: readonly EndpointEntry[],
  config: DocumentedConfig,
): readonly Operation[] => entries.map((entry) => new Operation(entry, config));
