import {
  EndpointsFactory,
  ensureHttpError,
  problemResultHandler,
  ResultHandler,
  toPublicMessage,
  type Result,
} from "sallyport";
import { z } from "zod";

/** Describes a reply with a status and a media type; several of them are a union. */
export const reply = <
  const Status extends number,
  const Type extends string | null,
  Body extends z.ZodType,
>(
  status: Status,
  type: Type,
  body: Body,
) => z.object({ status: z.literal(status), type: z.literal(type), body });

/** What errors are sent as. */
export interface ErrorBody {
  readonly type: string;
  readonly schema: z.ZodType;
  /** Writes an error that has no data of its own. */
  readonly write: (error: { readonly status: number; readonly message: string }) => unknown;
}

const toNegative =
  (body: ErrorBody | undefined) => (data?: z.ZodType, type?: string, code?: string) => {
    if (!body) return problemResultHandler.listNegative(data, type, code);
    const schema = data instanceof z.ZodOptional ? (data.unwrap() as z.ZodType) : data;
    return [{ schema: schema ?? body.schema, mimeType: body.type }];
  };

/** A range of media types is sent as JSON. */
const toSent = (type: string): string => (type.includes("*") ? "application/json" : type);

type Failed = Extract<Result, { readonly output: null }>;

const sendError = (result: Failed, body: ErrorBody | undefined): unknown => {
  if (!body) return problemResultHandler.handle(result);
  const { error, errorData, response } = result;
  const { statusCode: status, headers = {} } = ensureHttpError(error);
  const content = errorData ?? body.write({ status, message: toPublicMessage(error) });
  return response.status(status).set(headers).type(toSent(body.type)).send(JSON.stringify(content));
};

/** Creates a factory whose endpoints send the bare output. */
export const createFactory = (body?: ErrorBody) =>
  new EndpointsFactory(
    new ResultHandler({
      positive: (output) => ({ schema: output, mimeType: "application/json" }),
      negative: toNegative(body),
      handler: (result) =>
        result.error ? sendError(result, body) : result.response.json(result.output),
    }),
  );

interface Reply {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
}

type ReplySchema = ReturnType<typeof reply<number, string | null, z.ZodType>>;

const listReplies = (schema: z.ZodType): readonly ReplySchema[] =>
  (schema instanceof z.ZodUnion ? schema.options : [schema]) as readonly ReplySchema[];

const isJson = (type: string): boolean => /\bjson\b/i.test(type) || type.includes("*");

/** Creates a factory whose endpoints return their status, their media type and their body. */
export const createReplyFactory = (body?: ErrorBody) =>
  new EndpointsFactory(
    new ResultHandler({
      positive: (output) =>
        listReplies(output as z.ZodType).map(({ shape }) => ({
          statusCode: shape.status.value,
          mimeType: shape.type.value,
          schema: shape.body,
        })),
      negative: toNegative(body),
      handler: (result: Result<Readonly<Record<keyof Reply, unknown>>>) => {
        if (result.error) return sendError(result, body);
        const { response } = result;
        const { status, type, body: content } = result.output as unknown as Reply;
        response.status(status);
        if (type === null) return response.end();
        response.type(toSent(type));
        return response.send(isJson(type) ? JSON.stringify(content) : content);
      },
    }),
  );
