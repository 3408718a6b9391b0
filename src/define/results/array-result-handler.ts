import { z } from "zod";
import { formatIssues, OutputValidationError } from "../../basics/schemas/issues.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import type { ApiResponse, ItemsPlaceholder, SchemaOf } from "./api-response.ts";
import { writtenBy } from "./error-bodies.ts";
import { ResultHandler } from "./result-handler.ts";
import type { AcceptedOutput } from "./result.ts";
import { toReply } from "./send-result.ts";

/**
 * The result handler of `arrayEndpointsFactory`, which sends the array `items` of the output as JSON, and errors as
 * plain text.
 */
export interface ArrayResultHandler extends ResultHandler<
  ApiResponse<SchemaOf<ItemsPlaceholder>>,
  ApiResponse<SchemaOf<string>>,
  { readonly items: readonly unknown[] }
> {
  /** Lists the success response: an array of the output's `items`; also for result handlers that send errors differently. */
  listPositive(output: z.ZodType): readonly ApiResponse<SchemaOf<ItemsPlaceholder>>[];
}

/** Returns the schema of `items`, or of any array if that cannot be determined, as after a transformation. */
const toItemsSchema = (output: ZodSchema): ZodSchema => {
  const { def } = (output as z.core.$ZodTypes)._zod;
  // the response contains the output of the pipe
  if (def.type === "pipe") return toItemsSchema(def.out);
  if (def.type === "union") return z.union(def.options.map(toItemsSchema));
  return readTopLevel(output).fields.get("items") ?? z.array(z.unknown());
};

/** @throws {@link OutputValidationError} when the output has no array `items`. */
const toItems = (output: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const { items } = output;
  if (Array.isArray(items)) return items;
  const cause = new z.ZodError([
    {
      code: "invalid_type",
      expected: "array",
      path: ["items"],
      input: items,
      message: "arrayResultHandler sends this array, but it is missing",
    },
  ]);
  throw new OutputValidationError(formatIssues(cause.issues, "output"), cause);
};

/**
 * The result handler of `arrayEndpointsFactory`, for clients of an older API that expect a bare array.
 *
 * A success is sent as the output's array `items`, as JSON, by default with status 200; an error is sent as its
 * message, as plain text with its own status. An output without that array is a fault in the application.
 */
export const arrayResultHandler: ArrayResultHandler = new ResultHandler({
  positive: (output) => ({
    schema: toItemsSchema(output),
    mimeType: "application/json",
  }),
  negative: () => ({
    schema: writtenBy(({ message }) => message, z.string()),
    mimeType: "text/plain",
  }),
  reply: toReply(({ output }, answer) =>
    answer ? { body: answer.message } : { json: toItems(output as AcceptedOutput) },
  ),
}) as unknown as ArrayResultHandler;
