import { z } from "zod";
import { anything, checkDefinition } from "../../basics/messages/option-checks.ts";
import { DefinitionError } from "../../basics/errors.ts";
import { isSchema } from "../../basics/schemas/schema.ts";
import { json, type Reply } from "../../wire/reply/send-reply.ts";
import type { AcceptedOutput, Result } from "./result.ts";
import { createSending, type WriteReply } from "./send-result.ts";
import {
  toResponses,
  type ApiResponse,
  type ErrorDataPlaceholder,
  type OutputPlaceholder,
  type ResponseBody,
  type Widened,
  type ResponseDeclaration,
} from "./api-response.ts";

/** The property that marks a result handler, even one made by another copy of this package in the same process. */
export const resultHandlerMark: unique symbol = Symbol.for("sallyport/result-handler");

/** The schema of an endpoint's output, as `positive` receives it; a short type that is easy to read in editors. */
export interface OutputPlaceholderSchema extends z.ZodType<OutputPlaceholder> {}

/** The schema of an error's data, as `negative` receives it if `errors` declares one. */
export interface ErrorDataPlaceholderSchema extends z.ZodType<ErrorDataPlaceholder> {}

/** The responses that a result handler declares. */
export interface DeclaredResponses<
  Positive extends ResponseDeclaration,
  Negative extends ResponseDeclaration,
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
}

/** The argument of `new ResultHandler`: the declared responses, and either `reply` or `handler`. */
export type ResultHandlerDefinition<
  Positive extends ResponseDeclaration,
  Negative extends ResponseDeclaration,
  Output = AcceptedOutput,
> = DeclaredResponses<Positive, Negative> &
  (
    | {
        /**
         * Returns the response: a status, header fields and a body, each of which may be left out. Of an error, the status
         * and the header fields, such as `WWW-Authenticate`, are the default; it is sent with `Cache-Control: no-store`. If JSON
         * cannot represent the body, the fault is logged and sent as an error.
         */
        readonly reply: (
          result: Result<Output>,
        ) =>
          | DeclaredReply<Positive, Negative, Output>
          | Promise<DeclaredReply<Positive, Negative, Output>>;
        readonly handler?: undefined;
      }
    | {
        /**
         * Sends the response, or returns a promise that settles once the response is sent. If it sends nothing, sallyport
         * responds with 500.
         */
        readonly handler: (result: Result<Output>) => unknown;
        readonly reply?: undefined;
      }
  );

/** A reply with the body of a declared response. */
export type DeclaredReply<Positive, Negative, Output> = Reply<
  Widened<ResponseBody<Positive, Output> | ResponseBody<Negative, never, unknown>>
>;

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
 *   reply: ({ error, output }) => ({
 *     body: error ? { ok: false, message: toPublicMessage(error) } : { ok: true, data: output },
 *   }),
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
  readonly #definition: DeclaredResponses<Positive, Negative>;

  /** @throws {@link DefinitionError} when `positive`, `negative`, or `reply` and `handler` are missing or have the wrong type. */
  constructor(definition: ResultHandlerDefinition<Positive, Negative, Output>) {
    const { reply, handler } = definition ?? {};
    if ([reply, handler].filter((one) => typeof one === "function").length !== 1)
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "new ResultHandler: set either `reply`, a function that returns the response, or `handler`, a function that sends it.",
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
    this.handle = (
      reply
        ? createSending(reply as WriteReply, (status, isError) => this.#findType(status, isError))
        : handler
    ) as (result: Result) => unknown;
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

  /** Returns the declared media type of a status: that of JSON unless one is declared, and no other beside it. */
  #findType(status: number, isError: boolean): string {
    const [only = json, ...others] = new Set(this.#listTypes(status, isError));
    return others.length === 0 ? only : json;
  }

  #listTypes(status: number, isError: boolean): readonly string[] {
    let responses: readonly ApiResponse[] = [];
    try {
      responses = isError ? this.listNegative() : this.listPositive(z.unknown());
    } catch {
      // the function wants to know the output
    }
    const own = responses.filter(({ statusCode = [] }) => [statusCode].flat().includes(status));
    return (own.length > 0 ? own : responses).flatMap(({ mimeType = json }) => mimeType ?? []);
  }
}

const definitionChecks = {
  positive: anything,
  negative: anything,
  reply: anything,
  handler: anything,
};
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
