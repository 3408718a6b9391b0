import {
  arrayResultHandler,
  EndpointsFactory,
  ensureHttpError,
  InputValidationError,
  ResultHandler,
  toPublicMessage,
  type Result,
} from "sallyport";
import { z } from "zod";

const issue = z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() });
const invalid = z.object({ name: z.literal("ZodError"), issues: z.array(issue) });
const failed = z.object({ message: z.string() });

export const resultHandler = new ResultHandler({
  positive: (data) => data,
  negative: (data) => data ?? z.union([invalid, failed]),
  handler: ({ error, errorData, output, response }) => {
    if (!error) return void response.json(output);
    response.status(ensureHttpError(error).statusCode);
    if (errorData !== undefined) return void response.json(errorData);
    if (!(error instanceof InputValidationError && error.cause))
      return void response.json({ message: toPublicMessage(error) });
    const { source, cause } = error;
    const from = source === "headers" ? 1 : 0; // paths of header fields begin with it
    const issues = cause.issues.map((one) => ({ ...one, path: one.path.slice(from) }));
    response.json({ name: "ZodError", issues });
  },
});

export const factory = new EndpointsFactory(resultHandler);

/** Sends the array `items` of the output. */
export const listFactory = new EndpointsFactory(
  new ResultHandler({
    positive: (data) => arrayResultHandler.listPositive(data),
    negative: (data) => data ?? z.union([invalid, failed]),
    handler: (result: Result<{ items: readonly unknown[] }>) =>
      (result.error ? resultHandler : arrayResultHandler).handle(result),
  }),
);
