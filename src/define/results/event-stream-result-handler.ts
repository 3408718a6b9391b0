import { z } from "zod";
import type { AnySchema, SchemaOutput, ZodSchema } from "../../basics/schemas/schema.ts";
import type { ApiResponse, ResponseDeclaration } from "./api-response.ts";
import { defaultResultHandler, type DefaultResultHandler } from "./default-result-handler.ts";
import { ResultHandler, type AnyResultHandler } from "./result-handler.ts";

/** The events of a stream: the schema of each event's data, by event name. */
export type EventSchemas = Readonly<Record<string, AnySchema>>;

/** One event as a client receives it: a union discriminated by `event`. */
export type StreamedEvent<Events extends EventSchemas> = {
  [Name in keyof Events & string]: {
    readonly event: Name;
    readonly data: SchemaOutput<Events[Name]>;
    readonly id?: string | undefined;
    readonly retry?: number | undefined;
  };
}[keyof Events & string];

export interface StreamedEventSchema<Events extends EventSchemas> extends AnySchema {
  readonly _zod: { readonly input: unknown; readonly output: StreamedEvent<Events> };
}

/** The successful response of an event stream. */
export interface EventStreamResponse<Events extends EventSchemas> extends ApiResponse<
  StreamedEventSchema<Events>
> {
  readonly statusCode: 200;
  readonly mimeType: "text/event-stream";
}

type NegativeOf<Handler> = Handler extends {
  readonly "~types": { readonly negative: infer Negative extends ResponseDeclaration };
}
  ? Negative
  : ResponseDeclaration;

/** The result handler of event streams, which declares the events and sends errors as another result handler does. */
export interface EventStreamResultHandler<
  Events extends EventSchemas,
  Handler = DefaultResultHandler,
> extends ResultHandler<EventStreamResponse<Events>, NegativeOf<Handler>> {}

/** Creates the result handler of a stream. It sends only errors, because the endpoint's handler sends the events. */
export const createEventStreamResultHandler = (
  events: EventSchemas,
  errors: AnyResultHandler = defaultResultHandler,
): AnyResultHandler =>
  new ResultHandler({
    positive: {
      schema: toEventSchema(events),
      statusCode: 200,
      mimeType: "text/event-stream",
    },
    negative: (data, type, code) => errors.listNegative(data, type, code),
    handler: (result) => errors.handle(result),
  });

const toEventSchema = (events: EventSchemas): ZodSchema => {
  const [first, ...others] = Object.entries(events).map(([event, data]) =>
    z.object({
      event: z.literal(event),
      data: data as ZodSchema,
      id: z.string().optional(),
      retry: z.int().nonnegative().optional(),
    }),
  );
  return first ? z.discriminatedUnion("event", [first, ...others]) : z.never();
};
