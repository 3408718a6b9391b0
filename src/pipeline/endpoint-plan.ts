import { z } from "zod";
import { DefinitionError } from "../errors.ts";
import { toBodyLimits, type BodyLimits, type UploadLimits } from "../endpoint/body-options.ts";
import { joinErrors, type DeclaredProblem } from "../endpoint/declared-errors.ts";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import { toMergeOrder, type InputSource } from "../endpoint/input-sources.ts";
import type { AnyMiddleware } from "../endpoint/middleware.ts";
import type { Request, Response } from "../http/express-objects.ts";
import type { Observation } from "../reply/response-state.ts";
import { assertInnerSchemas } from "../schemas/non-schemas.ts";
import { readContent, type ContentDeclaration } from "../schemas/content.ts";
import { createConditions } from "./conditions.ts";
import { createDeprecation } from "./deprecation.ts";
import { runAround, type Surround } from "./run-around.ts";
import { runNative } from "./run-native.ts";
import { readPagination, type Pagination } from "../schemas/paginated.ts";
import { toParser, type Parser } from "../schemas/parser.ts";
import { listArrayFields } from "../schemas/list-fields.ts";
import { isForm } from "../schemas/form.ts";
import { takesRawBody } from "../schemas/raw.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { listMiddlewareOnlyKeys, readTopLevel } from "../schemas/top-level-keys.ts";
import { listFileLists, takesFiles } from "../schemas/upload.ts";

/** What is declared of the errors of one status. */
export interface ErrorData extends DeclaredProblem {
  /** Parses the data of an error; undefined if it has none. */
  readonly parse: Parser | undefined;
  /** Whether an error without data is allowed. */
  readonly mayLackData: boolean;
}

/** Prepares what is declared of errors, by status; returns undefined if the endpoint declares none. */
const planErrorData = (endpoint: AnyEndpoint): ReadonlyMap<number, ErrorData> | undefined => {
  const plans = new Map<number, ErrorData>();
  for (const [status, { schemas, mayLackData, type, title }] of joinErrors(endpoint)) {
    const [schema] = schemas;
    if ((schema ?? type ?? title) === undefined) continue;
    const parse = schema && toParser(schemas.length === 1 ? schema : z.union(schemas));
    plans.set(status, { parse, mayLackData, type, title });
  }
  return plans.size > 0 ? plans : undefined;
};

/** The header fields that a definition declares. */
export interface HeaderPlan {
  readonly names: readonly string[];
  readonly parse: Parser;
}

const planHeaders = (schema: ZodSchema | undefined): HeaderPlan | undefined =>
  schema && { names: [...readTopLevel(schema).fields.keys()], parse: toParser(schema) };

/** A middleware with everything that the pipeline needs to run it. */
export interface MiddlewareStep {
  readonly middleware: AnyMiddleware;
  /** Parses the input of the middleware; undefined if it takes none. */
  readonly parseInput: Parser | undefined;
  readonly headers: HeaderPlan | undefined;
  /** Whether the body is read before the middleware runs. */
  readonly needsBody: boolean;
  /** Returns the context; not called if `surround` is set. */
  readonly handle: AnyMiddleware["handle"];
  readonly surround: Surround | undefined;
}

/** Everything about an endpoint and a method that is known before the first request. */
export interface EndpointPlan {
  readonly endpoint: AnyEndpoint;
  readonly sources: readonly InputSource[];
  /** How the body is treated: parsed by its media type, kept as raw bytes, or ignored because it is not a source. */
  readonly body: "none" | "parsed" | "raw";
  /** Whether the raw bytes of the body are kept. */
  readonly keepsRawBody: boolean;
  /** The endpoint's own limits for bodies. */
  readonly bodyLimit: BodyLimits;
  /** Whether forms are accepted in place of JSON. */
  readonly takesForms: boolean;
  /** The endpoint's own upload limits. */
  readonly uploadLimits: UploadLimits | undefined;
  /** Whether the endpoint accepts files. */
  readonly takesFiles: boolean;
  /** The fields that expect an array of files; a single file is put into an array. */
  readonly fileLists: readonly string[];
  /** The fields that expect an array; a single value from a query or a form is put into an array. */
  readonly textLists: readonly string[];
  readonly middlewares: readonly MiddlewareStep[];
  /** Whether a middleware parses fields of the input, which are then merged into the handler's input. */
  readonly hasMiddlewareInput: boolean;
  /** The native middlewares before any other middleware, which also run for preflight requests. */
  readonly nativeMiddlewares: readonly MiddlewareStep[];
  readonly parseInput: Parser | undefined;
  readonly headers: HeaderPlan | undefined;
  /** Keys that only middlewares declare, hidden from the endpoint's own schema. */
  readonly middlewareOnlyKeys: readonly string[];
  readonly parseOutput: Parser | undefined;
  /** How the output is sent without a result handler; undefined if the result handler sends it. */
  readonly content: ContentDeclaration | undefined;
  /** The pagination of the output, if responses link to the neighbouring pages. */
  readonly linkedPages: Pagination | undefined;
  /** What is declared of thrown errors, by status. */
  readonly errorData: ReadonlyMap<number, ErrorData> | undefined;
  /** Whether responses are checked against what is declared, for warnings in development. */
  readonly watchesResponse: boolean;
  /** The header fields of successful responses, if `watchesResponse`. */
  readonly responseHeaders: HeaderPlan | undefined;
  /** The time limit from the first middleware to the validated output, in milliseconds; 0 for no limit. */
  readonly timeout: number;
  /** Runs the handler. */
  readonly handle: AnyEndpoint["handle"];
}

/** What observes the requests of a server; made by `openTelemetry` of `sallyport/opentelemetry`. */
export interface Telemetry {
  /** Called when a request begins; returns undefined for a request that is not observed. */
  readonly begin: (request: Request, response: Response) => Observation | undefined;
  /** Makes the stages of an endpoint observed. */
  readonly tracePlan: (plan: EndpointPlan) => EndpointPlan;
}

/** The options of a server that endpoints inherit; the time limit is in milliseconds, 0 for no limit. */
export interface InheritedOptions {
  readonly requestTimeout?: number | undefined;
  readonly forms?: boolean | undefined;
  readonly telemetry?: Telemetry | undefined;
}

const toBodyKind = (
  schemas: readonly ZodSchema[],
  sources: readonly InputSource[],
): EndpointPlan["body"] => {
  if (!sources.includes("body")) return "none";
  return schemas.some(takesRawBody) ? "raw" : "parsed";
};

/** Prepares a middleware. */
export const planMiddleware = (middleware: AnyMiddleware): MiddlewareStep => ({
  middleware,
  parseInput: middleware.inputSchema && toParser(middleware.inputSchema),
  headers: planHeaders(middleware.headersSchema),
  needsBody: middleware.inputSchema !== undefined || middleware.takesBody === true,
  handle: middleware.handle,
  surround: toSurround(middleware),
});

const toSurround = ({ native, wrap }: AnyMiddleware): Surround | undefined =>
  native ? runNative(native) : wrap && runAround(wrap);

const toLinkedPages = (schema: ZodSchema | undefined): Pagination | undefined => {
  const pagination = schema && readPagination(schema);
  return pagination?.hasLinks ? pagination : undefined;
};

const assertSchemas = (
  { inputSchema, headersSchema, outputSchema, middlewares }: AnyEndpoint,
  where: string,
): void => {
  for (const own of [...middlewares, { inputSchema, headersSchema }]) {
    if (own.inputSchema) assertInnerSchemas(where, "input", own.inputSchema);
    if (own.headersSchema) assertInnerSchemas(where, "headers", own.headersSchema);
  }
  if (outputSchema) assertInnerSchemas(where, "output", outputSchema);
};

/** Rejects middlewares that are to change the body, or to read it, after it has been validated. */
const assertOrder = ({ middlewares }: AnyEndpoint, where: string): void => {
  const first = middlewares.findIndex(({ afterValidation }) => afterValidation === true);
  const late = middlewares.slice(first + 1);
  if (first < 0 || !late.some(({ native, takesBody }) => native && takesBody === true)) return;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: a native middleware with \`body: true\` comes after a middleware with \`afterValidation: true\`, so what it changes would be ignored. Add it before that middleware.`,
  );
};

/**
 * Prepares an endpoint.
 *
 * @param where the path of the endpoint, for errors
 * @throws {@link DefinitionError} when a schema contains something other than schemas, or when middlewares are in the
 * wrong order.
 */
export const planEndpoint = (
  endpoint: AnyEndpoint,
  sources: readonly InputSource[],
  { requestTimeout = 0, forms = true, telemetry }: InheritedOptions = {},
  where = "build",
): EndpointPlan => {
  assertSchemas(endpoint, where);
  assertOrder(endpoint, where);
  const { conditions, deprecation } = endpoint;
  const last = deprecation ? [createDeprecation(deprecation)] : [];
  if (conditions) last.push(createConditions(conditions));
  const middlewares = [...endpoint.middlewares, ...last].map(planMiddleware);
  // a middleware must never run without those before it, such as an authentication
  const endOfNative = middlewares.findIndex(({ middleware }) => !middleware.native);
  const declared = endpoint.middlewares.flatMap(({ inputSchema }) => inputSchema ?? []);
  const schemas = [...declared, ...(endpoint.inputSchema ? [endpoint.inputSchema] : [])];
  const plan: EndpointPlan = {
    endpoint,
    sources: toMergeOrder(sources),
    body: toBodyKind(schemas, sources),
    keepsRawBody: endpoint.keepsRawBody,
    bodyLimit: toBodyLimits(endpoint.bodyLimit),
    takesForms: endpoint.takesForms ?? (forms || declaresBodyType(endpoint)),
    uploadLimits: endpoint.uploadLimits,
    takesFiles: sources.includes("files") && schemas.some(takesFiles),
    fileLists: schemas.flatMap(listFileLists),
    textLists:
      sources.includes("query") || sources.includes("body") ? schemas.flatMap(listArrayFields) : [],
    middlewares,
    hasMiddlewareInput: declared.length > 0,
    nativeMiddlewares: middlewares.slice(0, endOfNative < 0 ? middlewares.length : endOfNative),
    parseInput: endpoint.inputSchema && toParser(endpoint.inputSchema),
    headers: planHeaders(endpoint.headersSchema),
    middlewareOnlyKeys: endpoint.inputSchema
      ? listMiddlewareOnlyKeys(endpoint.inputSchema, declared)
      : [],
    parseOutput:
      endpoint.outputSchema && !endpoint.isVoid ? toParser(endpoint.outputSchema) : undefined,
    content: endpoint.outputSchema && readContent(endpoint.outputSchema),
    linkedPages: toLinkedPages(endpoint.outputSchema),
    errorData: planErrorData(endpoint),
    watchesResponse:
      (endpoint.errors ?? endpoint.responseHeadersSchema) !== undefined &&
      process.env["NODE_ENV"] !== "production",
    responseHeaders: planHeaders(endpoint.responseHeadersSchema),
    timeout: endpoint.timeout ?? requestTimeout,
    handle: endpoint.handle,
  };
  return Object.freeze(telemetry ? telemetry.tracePlan(plan) : plan);
};

/** Checks whether the input of an endpoint, or of one of its middlewares, is declared as a form, files or bytes. */
const declaresBodyType = ({ middlewares, inputSchema }: AnyEndpoint): boolean =>
  [...middlewares, { inputSchema }].some(
    ({ inputSchema: schema }) =>
      schema !== undefined && (isForm(schema) || takesFiles(schema) || takesRawBody(schema)),
  );

/**
 * Schemas may refer to others that are declared after the endpoint, so this is checked at startup.
 *
 * @throws {@link DefinitionError} when an endpoint that rejects forms declares one.
 */
const assertForms = (endpoint: AnyEndpoint, where: string): void => {
  if (endpoint.takesForms !== false || !declaresBodyType(endpoint)) return;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: \`forms: false\` contradicts the input, which is declared with ez.form(), ez.upload() or ez.raw(). Remove one of the two.`,
  );
};

/**
 * The plan of an endpoint, created when a request first needs it; creating 1,000 plans at startup would take 90
 * milliseconds.
 */
export class LazyPlan {
  readonly endpoint: AnyEndpoint;
  /** The value of `request.route` for logs, metrics and traces; Express sets the property in the same form. */
  readonly route: { readonly path: string };
  readonly #sources: readonly InputSource[];
  readonly #options: InheritedOptions;
  /** The plan, once it has been created. */
  created: EndpointPlan | undefined;

  /** @throws {@link DefinitionError} when the endpoint rejects the forms that its input declares. */
  constructor(
    endpoint: AnyEndpoint,
    sources: readonly InputSource[],
    options: InheritedOptions,
    path: string,
  ) {
    assertForms(endpoint, path);
    this.endpoint = endpoint;
    this.#sources = sources;
    this.#options = options;
    this.route = { path };
  }

  /** The plan, which is created if need be. */
  get plan(): EndpointPlan {
    return (this.created ??= planEndpoint(
      this.endpoint,
      this.#sources,
      this.#options,
      this.route.path,
    ));
  }
}
