import type { Request, Response } from "../http/express-objects.ts";
import type { z } from "zod";
import { anything, checkDefinition } from "../messages/option-checks.ts";
import { DefinitionError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";
import { isSchema } from "../schemas/schema.ts";
import {
  toResponses,
  type ApiResponse,
  type ErrorDataPlaceholder,
  type OutputPlaceholder,
  type ResponseDeclaration,
} from "./api-response.ts";

/** The property that marks a result handler, even one made by another copy of this package in the same process. */
export const resultHandlerMark: unique symbol = Symbol.for("sallyport/result-handler");

/** An error as a result handler receives it; HTTP errors have a status. */
export interface ResultError extends Error {
  readonly statusCode?: number | undefined;
  readonly status?: number | undefined;
  readonly expose?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface ResultContext {
  /** The combined input before validation; null if the request failed before its sources were combined. */
  readonly input: Readonly<Record<string, unknown>> | null;
  /** The context returned by the middlewares that have run. */
  readonly ctx: Readonly<Record<string, unknown>>;
  readonly request: Request;
  readonly response: Response;
  readonly logger: Logger;
}

/** The outputs that a result handler accepts by default: every object. */
export type AcceptedOutput = Readonly<Record<string, unknown>>;

/**
 * The argument of a result handler's `handler`: either `output` or `error` is set, and the other is null.
 *
 * A handler that supports only certain outputs declares them, as in
 * `({ output, error }: Result<{ rows: Row[] }>) => ...`. In factories with that result handler, an endpoint with any
 * other output is then a compile error.
 */
export type Result<Output = AcceptedOutput> = ResultContext &
  (
    | {
        readonly output: Output;
        readonly error: null;
        readonly errorData?: undefined;
        readonly problem?: undefined;
      }
    | {
        readonly output: null;
        readonly error: ResultError;
        /** The `data` of the error, parsed with the schema that the endpoint or a middleware declares in `errors`. */
        readonly errorData?: unknown;
        /** The `type` and the `title` that the declaration in `errors` has, and the name of the declaration. */
        readonly problem?:
          | {
              readonly code?: string | undefined;
              readonly type?: string | undefined;
              readonly title?: string | undefined;
            }
          | undefined;
      }
  );

/** The schema of an endpoint's output, as `positive` receives it; a short type that is easy to read in editors. */
export interface OutputPlaceholderSchema extends z.ZodType<OutputPlaceholder> {}

/** The schema of an error's data, as `negative` receives it if `errors` declares one. */
export interface ErrorDataPlaceholderSchema extends z.ZodType<ErrorDataPlaceholder> {}

/** The argument of `new ResultHandler`. */
export interface ResultHandlerDefinition<
  Positive extends ResponseDeclaration,
  Negative extends ResponseDeclaration,
  Output = AcceptedOutput,
> {
  /** The success responses, usually given as a function from the output schema to `{ schema, mimeType }`. */
  readonly positive: Positive | ((output: OutputPlaceholderSchema) => Positive);
  /**
   * The error responses, or a function from the schema of the error's data, its declared `type` and its `code`, if any,
   * to the error responses.
   */
  readonly negative:
    | Negative
    | ((data?: ErrorDataPlaceholderSchema, type?: string, code?: string) => Negative);
  /**
   * Sends the response, or returns a promise that settles once the response is sent. If it sends nothing, sallyport
   * responds with 500.
   */
  readonly handler: (result: Result<Output>) => unknown;
}

/** The outputs that a result handler accepts. */
export type AcceptedBy<Handler> = Handler extends {
  readonly "~types": { readonly output: infer Output };
}
  ? Output
  : AcceptedOutput;

/** A result handler of any type. */
export interface AnyResultHandler {
  readonly [resultHandlerMark]: true;
  /** Sends the response for a result. */
  readonly handle: (result: Result) => unknown;
  /** Lists the success responses of an endpoint with the given output schema. */
  listPositive(output: z.ZodType): readonly ApiResponse[];
  /** Lists the error responses, which may carry data of the given schema, and have the given type and code. */
  listNegative(data?: z.ZodType, type?: string, code?: string): readonly ApiResponse[];
}

/**
 * Formats and sends the results and the errors of endpoints.
 *
 * @example
 * const resultHandler = new ResultHandler({
 *   positive: (data) => ({ schema: z.object({ ok: z.literal(true), data }), mimeType: "application/json" }),
 *   negative: z.object({ ok: z.literal(false), message: z.string() }),
 *   handler: ({ error, output, response }) => {
 *     if (error) response.status(error.statusCode ?? 500).json({ ok: false, message: error.message });
 *     else response.status(200).json({ ok: true, data: output });
 *   },
 * });
 */
export class ResultHandler<
  const Positive extends ResponseDeclaration = ResponseDeclaration,
  const Negative extends ResponseDeclaration = ResponseDeclaration,
  Output = AcceptedOutput,
> implements AnyResultHandler {
  readonly [resultHandlerMark] = true;
  readonly handle: (result: Result) => unknown;
  /** Type information only: the declared responses and the accepted outputs. */
  declare readonly "~types": {
    readonly positive: Positive;
    readonly negative: Negative;
    readonly output: Output;
  };
  readonly #definition: ResultHandlerDefinition<Positive, Negative, Output>;

  /** @throws {@link DefinitionError} when `positive`, `negative` or `handler` is missing or has the wrong type. */
  constructor(definition: ResultHandlerDefinition<Positive, Negative, Output>) {
    if (typeof definition?.handler !== "function")
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "new ResultHandler: `handler` must be a function that sends the response.",
      );
    checkDefinition("new ResultHandler", definition, definitionChecks);
    for (const name of ["positive", "negative"] as const) {
      if (!["function", "object"].includes(typeof definition[name]))
        throw new DefinitionError(
          "SLP_DEFINITION_RESPONSE",
          `new ResultHandler: \`${name}\` must be a schema, a definition { schema, statusCode?, mimeType? }, an array of definitions, or a function that returns one of these.`,
        );
      const declared = definition[name];
      if (typeof declared !== "function") assertResponseKeys(name, toResponses(declared));
    }
    this.#definition = definition;
    // the compiler has checked that the endpoints of a factory return such outputs
    this.handle = definition.handler as (result: Result) => unknown;
  }

  /** @throws {@link DefinitionError} when the declaration has no responses, or a response has no Zod schema. */
  listPositive(output: z.ZodType): readonly ApiResponse[] {
    const { positive } = this.#definition;
    // the placeholder exists only as a type: at run time, this is the schema itself
    const declared =
      typeof positive === "function" ? positive(output as OutputPlaceholderSchema) : positive;
    return assertResponses("positive", declared);
  }

  /** @throws {@link DefinitionError} when the declaration has no responses, or a response has no Zod schema. */
  listNegative(data?: z.ZodType, type?: string, code?: string): readonly ApiResponse[] {
    const { negative } = this.#definition;
    const declared =
      typeof negative === "function"
        ? negative(data as ErrorDataPlaceholderSchema, type, code)
        : negative;
    return assertResponses("negative", declared);
  }
}

const definitionChecks = { positive: anything, negative: anything, handler: anything };
const responseChecks = { schema: anything, statusCode: anything, mimeType: anything };

const assertResponses = (
  name: "positive" | "negative",
  declared: ResponseDeclaration,
): readonly ApiResponse[] => {
  const responses = toResponses(declared);
  if (responses.length === 0 || !responses.every(({ schema }) => isSchema(schema)))
    throw new DefinitionError(
      "SLP_DEFINITION_RESPONSE",
      `ResultHandler: \`${name}\` must declare at least one response, each with a Zod schema.`,
    );
  assertResponseKeys(name, responses);
  return responses;
};

const assertResponseKeys = (name: string, responses: readonly ApiResponse[]): void => {
  for (const response of responses)
    checkDefinition(`ResultHandler: \`${name}\``, response, responseChecks);
};

export const isResultHandler = (value: unknown): value is AnyResultHandler =>
  typeof value === "object" && value !== null && resultHandlerMark in value;
