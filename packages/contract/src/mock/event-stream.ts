import { EventStreamFactory } from "sallyport";
import { z } from "zod";
import type { Generation } from "./generate.ts";
import type { MockedOperation } from "./list-operations.ts";
import { produce } from "./produce.ts";
import type { AnyArguments } from "./scene.ts";

type Events = Readonly<Record<string, z.ZodType>>;

/** Returns the schemas of the events that an endpoint declares; undefined if it sends no events. */
export const readEvents = ({ replies, endpoint }: MockedOperation): Events | undefined => {
  if (replies.get(200) !== "text/event-stream") return undefined;
  const [{ schema } = {}] = endpoint.resultHandler.listPositive(z.unknown());
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  const options = def.type === "union" ? def.options : [];
  return Object.fromEntries(
    options.map((option) => {
      const { event, data } = (option as z.ZodObject).shape;
      return [String((event as z.ZodLiteral).value), data as z.ZodType];
    }),
  );
};

/** Generates the data of an event. */
export const generateEvent = (
  name: string,
  schema: z.ZodType,
  generation: Generation,
): Promise<unknown> =>
  produce(schema, { ...generation, seed: `${generation.seed}\n${name}`, known: undefined });

/** Returns what sends each declared event once; a client that reconnects afterwards is told that there is no more. */
export const toStreamHandler = (operation: MockedOperation) => {
  const events = readEvents(operation);
  if (!events) return undefined;
  const names = Object.keys(events);
  const last = String(names.length);
  return async (args: AnyArguments, generation: Generation): Promise<unknown> => {
    const { request, response } = args;
    // 204 is how a server tells an EventSource not to reconnect
    if (request.headers["last-event-id"] === last) return response.status(204).end();
    const { handle } = new EventStreamFactory(events).build({
      handler: async ({ ctx: { emit } }) => {
        for (const [index, name] of names.entries()) {
          const data = await generateEvent(name, events[name] as z.ZodType, generation);
          await emit(name, data, { id: String(index + 1) });
        }
      },
    });
    return handle(args as never);
  };
};
