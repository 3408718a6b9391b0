import { z } from "zod";
import { defaults } from "../../basics/defaults.ts";
import { DefinitionError, RequestError } from "../../basics/errors.ts";
import { toBodyLimits } from "../../define/endpoint/body-limits.ts";
import { createErrorFactories, noErrors } from "../../define/endpoint/error-factories.ts";
import {
  joinErrors,
  toKind,
  toUsualKind,
  type ErrorKind,
} from "../../define/endpoint/join-errors.ts";
import type {
  DeclaredProblem,
  ErrorDeclaration,
  ErrorDeclarations,
} from "../../define/endpoint/declared-errors.ts";
import { withMapping, type AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import type { AnyErrorMapping } from "../../define/endpoint/error-mapping.ts";
import { isPromiseLike } from "../../define/endpoint/handler-arguments.ts";
import { toMergeOrder, type InputSource } from "../../define/endpoint/input-sources.ts";
import type { AnyMiddleware } from "../../define/endpoint/middleware.ts";
import { toChallenge } from "../../define/endpoint/security.ts";
import type { BodyPlan } from "../request/parse-body.ts";
import { assertInnerSchemas } from "../../basics/schemas/non-schemas.ts";
import { readContent, type ContentDeclaration } from "../../basics/schemas/content.ts";
import type { EndpointRun, RunPlan } from "./endpoint-run.ts";
import type { HeaderPlan } from "./validate.ts";
import { runAround, type Around } from "./run-around.ts";
import { runNative } from "./run-native.ts";
import { settleWithin } from "./settle-within.ts";
import { toStatusText } from "../../basics/http/status.ts";
import type { AnyResultHandler } from "../../define/results/result-handler.ts";
import { readPagination, type Pagination } from "../../basics/schemas/paginated.ts";
import { toParser, type Parser } from "../../basics/schemas/parser.ts";
import {
  checksFileTypes,
  hidesStream,
  isForm,
  listFileLists,
  readRawType,
  takesFiles,
  takesRawBody,
  takesStream,
  takesWebFiles,
} from "../../basics/schemas/bodies.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import {
  listArrayFields,
  listMiddlewareOnlyKeys,
  readTopLevel,
} from "../../basics/schemas/top-level-keys.ts";

export interface ErrorData extends DeclaredProblem {
  readonly parse: Parser | undefined;
  readonly mayLackData: boolean;
}

const toErrorData = ({ schemas, mayLackData, code, type, title }: ErrorKind): ErrorData => {
  const [schema] = schemas;
  const parse = schema && toParser(schemas.length === 1 ? schema : z.union(schemas));
  return { parse, mayLackData, code, type, title };
};

/** Lists what is declared of the errors that were not created with a function of `errors`, by status. */
const planErrorData = (endpoint: AnyEndpoint): ReadonlyMap<number, ErrorData> | undefined => {
  const plans = new Map<number, ErrorData>();
  for (const [status, declared] of joinErrors(endpoint)) {
    const kind = toUsualKind(declared);
    if (!kind || (kind.schemas[0] ?? kind.code ?? kind.type ?? kind.title) === undefined) continue;
    plans.set(status, toErrorData(kind));
  }
  return plans.size > 0 ? plans : undefined;
};

const dataByDeclaration = new WeakMap<ErrorDeclaration, ErrorData>();

/** Returns what is known of the errors of one declaration. */
export const toOwnErrorData = (declaration: ErrorDeclaration, code?: string): ErrorData => {
  const data = dataByDeclaration.get(declaration) ?? toErrorData(toKind(declaration));
  dataByDeclaration.set(declaration, data);
  // one declaration may stand under several names
  return code === undefined ? data : { ...data, code };
};

type ErrorMapper = NonNullable<AnyMiddleware["mapError"]>;

/** Gives a mapping the time limit of its endpoint, unless that is 0: the clock of the stages has stopped when it runs. */
const limitMapper = (map: ErrorMapper, limit: number): ErrorMapper =>
  limit === 0
    ? map
    : (args) => {
        const mapped = map(args);
        if (!isPromiseLike(mapped)) return mapped;
        return settleWithin(mapped, limit, () => {
          const text = `A handler of \`onError\` did not settle within the time limit of ${limit} ms`;
          return new RequestError("SLP_HANDLER_TIMEOUT", { cause: new Error(text) });
        });
      };

const statusesByHandler = new WeakMap<AnyResultHandler, ErrorDeclarations>();

/** Lists the statuses of errors that a result handler declares. */
const listStatuses = (handler: AnyResultHandler): ErrorDeclarations => {
  let known = statusesByHandler.get(handler);
  if (!known) {
    const statuses = handler.listNegative().flatMap(({ statusCode = [] }) => statusCode);
    known = Object.fromEntries(statuses.map((status) => [status, toStatusText(status)]));
    statusesByHandler.set(handler, known);
  }
  return known;
};

const planHeaders = (schema: ZodSchema | undefined): HeaderPlan | undefined =>
  schema && { names: [...readTopLevel(schema).fields.keys()], parse: toParser(schema) };

/** A middleware with everything that is known before the first request. */
export interface MiddlewareStep extends Readonly<Pick<AnyMiddleware, "handle">> {
  readonly middleware: AnyMiddleware;
  readonly parseInput: Parser | undefined;
  /** Keys that only earlier middlewares declare, whose parsed values a loose schema does not replace. */
  readonly earlierKeys: readonly string[];
  readonly headers: HeaderPlan | undefined;
  readonly needsBody: boolean;
  readonly errors: object;
  /** Runs the middleware around everything after it, in place of `handle`. */
  readonly around: Around | undefined;
}

/** Everything about an endpoint and a method that is known before the first request. */
export interface EndpointPlan extends RunPlan, Readonly<Pick<AnyEndpoint, "handle">> {
  readonly middlewares: readonly MiddlewareStep[];
  readonly errorMappers: readonly ErrorMapper[];
  readonly parseOutput: Parser | undefined;
  /** How the output is sent without a result handler; undefined if the result handler sends it. */
  readonly content: ContentDeclaration | undefined;
  /** The pagination of the output, if responses link to the neighbouring pages. */
  readonly linkedPages: Pagination | undefined;
  /** What is declared of the errors that were not created with a function of `errors`, by status. */
  readonly errorData: ReadonlyMap<number, ErrorData> | undefined;
  /** The value of `WWW-Authenticate` that a 401 has; undefined if it has none. */
  readonly challenge: string | undefined;
  /** The functions that create the declared errors. */
  readonly errors: object;
  /** Whether responses are checked against what is declared, for warnings in development. */
  readonly watchesResponse: boolean;
  /** The header fields of successful responses, if `watchesResponse`. */
  readonly responseHeaders: HeaderPlan | undefined;
  /** The time limit from the first middleware to the validated output, in milliseconds; 0 for no limit. */
  readonly timeout: number;
  /** Whether warnings are logged; reading the environment for each request costs more than the rest of a check. */
  readonly isDevelopment: boolean;
}

const planMiddleware = (
  middleware: AnyMiddleware,
  at: number,
  all: readonly AnyMiddleware[],
): MiddlewareStep => {
  const { inputSchema, headersSchema, takesBody, handle } = middleware;
  const { native, handleAround, handleOutcome } = middleware;
  return {
    middleware,
    parseInput: inputSchema && toParser(inputSchema),
    earlierKeys: inputSchema
      ? listMiddlewareOnlyKeys(
          inputSchema,
          all.slice(0, at).flatMap((earlier) => earlier.inputSchema ?? []),
        )
      : [],
    headers: planHeaders(headersSchema),
    needsBody: inputSchema !== undefined || takesBody === true,
    errors: middleware.errors ? createErrorFactories(middleware.errors) : noErrors,
    handle,
    around: native
      ? runNative(native)
      : handleAround
        ? runAround(handleAround)
        : (handleOutcome as Around | undefined),
  };
};

/** The options of a server that endpoints inherit; the time limit is in milliseconds, 0 for no limit. */
export interface InheritedOptions {
  readonly requestTimeout?: number | undefined;
  readonly forms?: boolean | undefined;
  readonly onError?: AnyErrorMapping | undefined;
  /** Wraps the functions of a plan, to observe them. */
  readonly wrapPlan?: ((plan: EndpointPlan) => EndpointPlan) | undefined;
}

const assertInput = (schema: ZodSchema, where: string): void => {
  assertInnerSchemas(where, "input", schema);
  if (hidesStream(schema))
    throw new DefinitionError(
      "SLP_DEFINITION_SCHEMA",
      `${where}: \`input\` has ez.stream() in a place where the body is not passed on. Use it as the field \`raw\` itself, without a wrapper: z.object({ raw: ez.stream() }).`,
    );
  if (takesWebFiles(schema))
    throw new DefinitionError(
      "SLP_DEFINITION_SCHEMA",
      `${where}: \`input\` has z.file(), which neither JSON nor a form can fill. Use ez.upload(), with \`upload\` in the configuration.`,
    );
};

const assertSchemas = (endpoint: AnyEndpoint, where: string): void => {
  for (const { inputSchema, headersSchema } of [...endpoint.middlewares, endpoint]) {
    if (inputSchema) assertInput(inputSchema, where);
    if (headersSchema) assertInnerSchemas(where, "headers", headersSchema);
  }
  if (endpoint.outputSchema) assertInnerSchemas(where, "output", endpoint.outputSchema);
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

const createPlan = (
  endpoint: AnyEndpoint,
  sources: readonly InputSource[],
  {
    requestTimeout = 0,
    forms = defaults.forms,
  }: Pick<InheritedOptions, "forms" | "requestTimeout">,
): EndpointPlan => {
  const { inputSchema, outputSchema, timeout = requestTimeout } = endpoint;
  const declared = endpoint.middlewares.flatMap((one) => one.inputSchema ?? []);
  const schemas = inputSchema ? [...declared, inputSchema] : declared;
  const bytes = schemas.some(takesStream) ? "stream" : "raw";
  const whole = schemas.some(takesRawBody) ? bytes : "parsed";
  const body: BodyPlan["body"] = sources.includes("body") ? whole : "none";
  const pagination = outputSchema && readPagination(outputSchema);
  return {
    endpoint,
    sources: toMergeOrder(sources),
    body,
    rawType: schemas.map(readRawType).find((type) => type !== undefined),
    keepsRawBody: endpoint.keepsRawBody,
    bodyLimit: toBodyLimits(endpoint.bodyLimit),
    takesForms: endpoint.takesForms ?? (forms || declaresBodyType(endpoint)),
    uploadLimits: endpoint.uploadLimits,
    takesFiles: sources.includes("files") && schemas.some(takesFiles),
    checksFileTypes: schemas.some(checksFileTypes),
    fileLists: schemas.flatMap(listFileLists),
    textLists:
      sources.includes("query") || sources.includes("body") ? schemas.flatMap(listArrayFields) : [],
    middlewares: endpoint.middlewares.filter((one) => !one.mapError).map(planMiddleware),
    errorMappers: endpoint.middlewares.flatMap(({ mapError }) =>
      mapError ? limitMapper(mapError, timeout) : [],
    ),
    hasMiddlewareInput: declared.length > 0,
    parseInput: inputSchema && toParser(inputSchema),
    headers: planHeaders(endpoint.headersSchema),
    middlewareOnlyKeys: inputSchema ? listMiddlewareOnlyKeys(inputSchema, declared) : [],
    parseOutput: outputSchema && !endpoint.isVoid ? toParser(outputSchema) : undefined,
    content: outputSchema && readContent(outputSchema),
    linkedPages: pagination?.hasLinks ? pagination : undefined,
    errorData: planErrorData(endpoint),
    challenge: toChallenge(
      [...endpoint.middlewares, endpoint].flatMap(({ security }) => security ?? []),
    ),
    errors: createErrorFactories(
      listStatuses(endpoint.resultHandler),
      ...endpoint.middlewares.map(({ errors }) => errors),
      endpoint.errors,
    ),
    watchesResponse:
      (endpoint.errors ?? endpoint.responseHeadersSchema) !== undefined &&
      process.env["NODE_ENV"] !== "production",
    responseHeaders: planHeaders(endpoint.responseHeadersSchema),
    timeout,
    isDevelopment: process.env["NODE_ENV"] !== "production",
    handle: endpoint.handle,
  };
};

export type PlannedRun = EndpointRun<EndpointPlan>;

/**
 * Prepares an endpoint; `where` is its path, for errors.
 *
 * @throws {@link DefinitionError} when a schema contains something other than schemas, or middlewares are in the wrong
 * order.
 */
export const planEndpoint = (
  endpoint: AnyEndpoint,
  sources: readonly InputSource[],
  options: InheritedOptions = {},
  where = "build",
): EndpointPlan => {
  assertSchemas(endpoint, where);
  assertOrder(endpoint, where);
  const plan = createPlan(withMapping(endpoint, options.onError), sources, options);
  return Object.freeze(options.wrapPlan?.(plan) ?? plan);
};

/** Checks whether the input of an endpoint, or of one of its middlewares, is declared as a form, files or bytes. */
const declaresBodyType = (endpoint: AnyEndpoint): boolean =>
  [...endpoint.middlewares, endpoint].some(
    ({ inputSchema: schema }) =>
      schema !== undefined && (isForm(schema) || takesFiles(schema) || takesRawBody(schema)),
  );

/** Schemas may refer to others that are declared after the endpoint, so this is checked at startup. */
const assertForms = (endpoint: AnyEndpoint, where: string): void => {
  if (endpoint.takesForms !== false || !declaresBodyType(endpoint)) return;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `${where}: \`forms: false\` contradicts the input, which is declared with ez.form(), ez.upload() or ez.raw(). Remove one of the two.`,
  );
};

/** The plan of an endpoint, created when a request first needs it: 1,000 plans at startup would take 90 ms. */
export class LazyPlan {
  readonly endpoint: AnyEndpoint;
  /** The value of `request.route` for logs, metrics and traces; Express sets the property in the same form. */
  readonly route: { readonly path: string };
  readonly #create: () => EndpointPlan;
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
    this.route = { path };
    this.#create = () => planEndpoint(endpoint, sources, options, path);
  }

  get plan(): EndpointPlan {
    return (this.created ??= this.#create());
  }
}
