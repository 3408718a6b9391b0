import { STATUS_CODES } from "node:http";
import { inspect } from "node:util";
import {
  ApiError,
  arrayResultHandler,
  type AnyEndpoint,
  type AnyMiddleware,
  type HandlerArguments,
  type Request,
  type Response,
  type Security,
} from "sallyport";
import { z } from "zod";
import { hasCredentials } from "./check-credentials.ts";
import { toStreamHandler } from "./event-stream.ts";
import { listExamples } from "./examples.ts";
import type { Generation } from "./generate.ts";
import {
  listErrors,
  toAdditions,
  type DeclaredError,
  type MockedOperation,
} from "./list-operations.ts";
import { generatePage, readPage, splitInput } from "./page.ts";
import { readPreference, type Preference } from "./preference.ts";
import { merge, toSeed } from "./make-value.ts";
import { produce } from "./produce.ts";
import type { AnyArguments, AnyHandler, Fields, MockScene } from "./scene.ts";
import { UngeneratableError } from "./ungeneratable.ts";

type Guarded = Pick<MockedOperation, "method" | "errors">;

const demandCredentials = (
  security: Security | undefined,
  { errors }: Guarded,
  { request, input }: { readonly request: Request; readonly input: unknown },
): void => {
  if (!security || hasCredentials(security, request, input)) return;
  const found = errors.find(({ status }) => status === 401);
  throw new ApiError(found?.key ?? "401", {
    ...(found?.declaration ?? { description: "Send credentials; a mock accepts any" }),
  });
};

/** Returns a middleware that validates what the given one declares, and runs none of the application's code. */
const toMockMiddleware = (middleware: AnyMiddleware, operation: Guarded): AnyMiddleware => {
  const { security, errors, sentFields = {} } = toAdditions(middleware, operation.method);
  // that of a deprecation only sets header fields
  if ("Deprecation" in sentFields) return middleware;
  const { SLP_PRECONDITION_REQUIRED: required } = errors ?? {};
  return {
    ...middleware,
    handle: (args: HandlerArguments<never, never>): void => {
      demandCredentials(security, operation, args);
      if (typeof required === "object" && args.request.headers["if-match"] === undefined)
        throw new ApiError("SLP_PRECONDITION_REQUIRED", required);
    },
    handleAround: undefined,
    handleOutcome: undefined,
    mapError: undefined,
    native: undefined,
  };
};

/** Returns an endpoint that guards files or documentation as the given one does, but accepts any credentials. */
export const toMockGuard = (guard: AnyEndpoint): AnyEndpoint => {
  const errors = listErrors(guard, "get");
  const middlewares = guard.middlewares.map((one) =>
    toMockMiddleware(one, { method: "get", errors }),
  );
  return { ...guard, middlewares };
};

/** The random numbers of a call: the same for the same operation and input. */
export const toGeneration = (
  { seed, files, kept }: MockScene,
  { key, replies, endpoint: { statusCode = 200 } }: MockedOperation,
  fields: Fields,
): Generation => ({
  ...{ files, kept },
  type: replies.get(statusCode),
  known: fields,
  seed: [seed, key, inspect(fields, { depth: 6, sorted: true, maxArrayLength: 1000 })].join("\n"),
});

/** Generates what a handler returns; called with no fields when the mock starts. */
export const generateOutput = async (
  scene: MockScene,
  operation: MockedOperation,
  fields: Fields,
): Promise<unknown> => {
  const { outputSchema: schema, isVoid, resultHandler } = operation.endpoint;
  if (isVoid) return {};
  if (!schema) return resultHandler === arrayResultHandler ? { items: [] } : {};
  const page = readPage(schema, operation.endpoint.inputSchema);
  if (!page) return produce(schema, toGeneration(scene, operation, fields));
  const { paging, rest } = splitInput(fields);
  const generation = toGeneration(scene, operation, rest);
  return produce(schema, generation, (own) => generatePage(page, paging, own));
};

/** The examples of the data of a declared error, by name or index. */
const listDataExamples = ({ declaration: { schema } }: DeclaredError) =>
  schema ? listExamples(schema as z.core.$ZodType) : new Map<string, unknown>();

/** Generates the declared error of a status. */
export const generateError = async (
  scene: MockScene,
  operation: MockedOperation,
  fields: Fields,
  { code = 500, example = "" }: Preference,
): Promise<ApiError> => {
  const declared = operation.errors.filter(({ status }) => status === code);
  const { key, declaration } = declared.find((one) => one.key === example) ??
    declared.find((one) => listDataExamples(one).has(example)) ??
    declared[0] ?? {
      key: String(code),
      declaration: { description: STATUS_CODES[code] ?? "Error" },
    };
  const schema = declaration.schema as z.core.$ZodType | undefined;
  if (!schema) return new ApiError(key, declaration);
  const data =
    listExamples(schema).get(example) ??
    (await produce(schema, toGeneration(scene, operation, fields)));
  return new ApiError(key, declaration, { data });
};

const setFields = async (
  scene: MockScene,
  operation: MockedOperation,
  fields: Fields,
  response: Response,
): Promise<void> => {
  const { responseHeadersSchema: schema, middlewares } = operation.endpoint;
  const generation = toGeneration(scene, operation, fields);
  if (middlewares.some((one) => toAdditions(one, operation.method).successFields?.["etag"]))
    response.setHeader("ETag", `"${(toSeed(generation.seed) >>> 0).toString(16)}"`);
  if (!schema) return;
  const values = Object(await produce(schema, generation)) as Readonly<
    Record<string, boolean | number | string>
  >;
  // generated objects lack optional fields that are undefined
  for (const [name, value] of Object.entries(values)) response.setHeader(name, String(value));
};

/** What cannot be generated is left to the handler. */
const ignoreUngeneratable = (error: unknown): undefined => {
  if (!(error instanceof UngeneratableError)) throw error;
};

const toBadRequest = (description: string): ApiError => new ApiError("400", { description });

/** @throws {@link ApiError} when the operation does not declare the preferred status, or the example of an error. */
const checkPreference = (
  { code, example }: Preference,
  { replies, errors }: MockedOperation,
): void => {
  if (code === undefined) return;
  if (!replies.has(code))
    throw toBadRequest(
      `Prefer: the operation declares no reply with this code; use one of ${[...replies.keys()].join(", ")}`,
    );
  if (code < 400 || example === undefined) return;
  const names = errors
    .filter(({ status }) => status === code)
    .flatMap((one) => [one.key, ...listDataExamples(one).keys()]);
  if (!names.includes(example))
    throw toBadRequest(
      `Prefer: the operation declares no such error with this code; ${names.length > 0 ? `use one of ${names.join(", ")}` : "leave out the example"}`,
    );
};

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Returns an endpoint that takes what the given one takes, and sends generated outputs. */
export const toMockEndpoint = (
  scene: MockScene,
  operation: MockedOperation,
  handler: AnyHandler | undefined,
): AnyEndpoint => {
  const { endpoint } = operation;
  const stream = toStreamHandler(operation);
  const handle = async (args: AnyArguments): Promise<unknown> => {
    const { request, response } = args;
    demandCredentials(endpoint.security, operation, args);
    const fields = { ...request.params, ...args.input };
    const preference = readPreference(request.headers["prefer"]);
    checkPreference(preference, operation);
    const { code, example } = preference;
    if (code !== undefined) response.setHeader("Preference-Applied", `code=${code}`);
    if (code !== undefined && code >= 400)
      throw await generateError(scene, operation, fields, preference);
    if (code !== undefined) response.status(code);
    if (code !== undefined && withoutBody.has(code)) return response.end();
    if (stream) return stream(args, toGeneration(scene, operation, fields));
    const returned: unknown = await handler?.(args as never);
    if (response.headersSent || response.writableEnded || returned === response) return returned;
    await setFields(scene, operation, fields, response);
    const { outputSchema } = endpoint;
    if (example === undefined) {
      const generated = generateOutput(scene, operation, fields);
      return merge(await (handler ? generated.catch(ignoreUngeneratable) : generated), returned);
    }
    const examples = outputSchema ? listExamples(outputSchema) : new Map<string, unknown>();
    if (!examples.has(example))
      throw toBadRequest(
        `Prefer: the output has no such example; use one of ${[...examples.keys()].join(", ") || "those that you add with .meta({ examples })"}`,
      );
    return merge(examples.get(example), returned);
  };
  return {
    ...endpoint,
    methods: [operation.method],
    middlewares: endpoint.middlewares.map((one) => toMockMiddleware(one, operation)),
    handle,
  };
};
