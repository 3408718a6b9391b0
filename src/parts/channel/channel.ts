import { AsyncResource } from "node:async_hooks";
import { once } from "node:events";
import { z } from "zod";
import { defaults } from "../../basics/defaults.ts";
import { toEventSchemas, type FollowedChannel } from "../../define/endpoint/channel-definition.ts";
import { toEventData, toEventSchema } from "../../wire/reply/event-writer.ts";
import { DefinitionError, ServerFault } from "../../basics/errors.ts";
import { anything, be, checkOptions, group, isDelay } from "../../basics/messages/option-checks.ts";
import { aPositiveInteger } from "../../basics/messages/option-checks.ts";
import { show } from "../../basics/messages/show.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { warnSampled } from "../../basics/logger/sampling.ts";
import { ensureError } from "../../wire/reply/http-error.ts";
import type { EventSchemas } from "../../define/results/event-stream-result-handler.ts";
import { toParser, type Parser } from "../../basics/schemas/parser.ts";
import type { SchemaInput } from "../../basics/schemas/schema.ts";
import { toWireSchema } from "../../basics/schemas/wire-schema.ts";
import { EventLog, noEvent, sizeOf, type History } from "./event-log.ts";
import { createFollower } from "./follower.ts";
import { toId } from "./position.ts";
import { memoryChannel, type ChannelStore } from "./channel-store.ts";

/** The data of the event `gap`. */
export interface ChannelGap {
  /** The id of the last event that the client has received. */
  readonly requested: string;
  /** The id of the earliest event that is still there; the same as `latest` if there is none. */
  readonly earliest: string;
  /** The id after which the events continue. */
  readonly latest: string;
}

/** The schema of {@link ChannelGap}. */
export type ChannelGapSchema = z.ZodObject<Record<keyof ChannelGap, z.ZodString>>;

/** The events that clients of a channel receive: those that are declared, and `gap`. */
export type ChannelEvents<Events extends EventSchemas> = Events & {
  readonly gap: ChannelGapSchema;
};

/** The options of {@link createChannel}. */
export interface ChannelOptions<Events extends EventSchemas> {
  /** The schema of each event's data, by event name. The name `gap` is taken. */
  readonly events: Events & { readonly gap?: never };
  /**
   * How much is kept for clients that reconnect: the number of events, and the number of bytes of their names, topics
   * and data. All topics share it. What exceeds either is dropped, the oldest event first.
   *
   * @default { events: 1000, bytes: 1_048_576 }
   */
  readonly history?: { readonly [Limit in keyof History]?: number | undefined } | undefined;
  /**
   * After how many milliseconds clients reconnect. Each is told a random time between this and twice this, so that not
   * all of them come back at once.
   *
   * @default 2000
   */
  readonly retry?: number | undefined;
  /**
   * Where events are kept.
   *
   * @default the memory of the process, for an API with a single one
   */
  readonly store?: ChannelStore | undefined;
}

/** The options of {@link Channel.publish}. */
export interface PublishOptions {
  /** What the event is about, such as the id of an order or of a user; endpoints choose by it. */
  readonly topic?: string | undefined;
}

/** The data that an event accepts; if it may be one of several events, the data that all of them accept. */
export type EventData<Events extends EventSchemas, Name extends keyof Events> = {
  readonly [One in Name]: (data: SchemaInput<Events[One]>) => void;
}[Name] extends (data: infer Data) => void
  ? Data
  : never;

/** A channel of events; made with {@link createChannel}. */
export interface Channel<Events extends EventSchemas> extends FollowedChannel<
  ChannelEvents<Events>
> {
  /**
   * Publishes an event to all processes; resolves to its id once it is kept. Publish after the commit of a transaction,
   * not within it.
   *
   * @throws {@link OutputValidationError} when the data does not fit the event's schema.
   * @throws {@link ServerFault} when the event is unknown or too large, or the topic is no string.
   * @throws {@link RequestError} with status 503 when the store does not keep the event.
   */
  readonly publish: <Name extends keyof Events & string>(
    event: Name,
    data: EventData<Events, Name>,
    options?: PublishOptions,
  ) => Promise<string>;
}

const gapSchema: ChannelGapSchema = z
  .object({ requested: z.string(), earliest: z.string(), latest: z.string() })
  .describe("Events are missing: those between `requested` and `latest` were not all kept.");

const isLarge = (value: unknown): boolean => isDelay(value) && Number(value) <= 0x3fffffff;

const optionChecks = {
  events: anything,
  history: group({ events: aPositiveInteger, bytes: aPositiveInteger }),
  retry: be("a number of milliseconds from 0 to 1073741823", isLarge),
  store: be("a store, such as redisChannel(client)", (value) =>
    Reflect.has(Object(value) as object, "~connect"),
  ),
};

/**
 * Creates a channel: events that the application publishes, and that endpoints send as event streams which clients can
 * resume.
 *
 * @throws {@link DefinitionError} when an option is unknown or invalid, an event has no schema or a name that cannot be
 * sent, or another channel has the key of the store.
 * @example
 * const orders = createChannel({ events: { placed: z.object({ id: z.string() }) } });
 * const follow = new EventStreamFactory({}).build({
 *   input: z.object({ shop: z.string() }),
 *   channel: orders,
 *   topic: ({ input }) => input.shop,
 * });
 * await orders.publish("placed", { id: "1" }, { topic: "berlin" });
 */
export const createChannel = <Events extends EventSchemas>(
  options: ChannelOptions<Events>,
): Channel<Events> => {
  checkOptions("createChannel", options, optionChecks);
  const { events, retry = defaults.channel.retry, store = memoryChannel } = options;
  const schemas = toEventSchemas("createChannel", events, "`events`");
  if (schemas.size === 0 || schemas.has("gap"))
    throw new DefinitionError(
      "SLP_DEFINITION_EVENT",
      `createChannel: \`events\` must declare one or more events, none of them \`gap\`, which tells clients that events are missing; got ${show(Object.keys(events))}.`,
    );
  const { history: usual } = defaults.channel;
  const { events: maxEvents = usual.events, bytes = usual.bytes } = options.history ?? {};
  const history = { events: maxEvents, bytes };
  /** What sends new events to a client, with the logger of its request. */
  const followers = new Map<() => void, Logger>();
  const wires = new Map<string, Parser>();
  const receive: EventLog["receive"] = async ({ event, topic, data }) => {
    const schema = schemas.get(event);
    // a newer process may publish events that this one does not declare
    if (!schema) return noEvent;
    try {
      const parse = wires.get(event) ?? toParser(toWireSchema(schema));
      wires.set(event, parse);
      return { event, topic, data: toEventData(event, await parse(JSON.parse(data))) };
    } catch (error) {
      const [logger] = followers.values();
      const text = "An event of a channel does not fit its schema, so it is dropped";
      const meta = { event, reason: ensureError(error).message };
      if (logger) warnSampled(logger, `channel ${event}`, text, meta);
      return noEvent;
    }
  };
  const sendAll = (): void => {
    for (const sendNew of followers.keys()) sendNew();
  };
  const log = new EventLog(history, sendAll, receive);
  const connection = store["~connect"](log, history);
  // the store is read for all clients, so not in the context of the first one
  const readStore = connection.follow && AsyncResource.bind(connection.follow);
  let reading: AbortController | undefined;
  let isFailing = false;
  const report = (error?: unknown): void => {
    const [logger] = followers.values();
    if (isFailing === (error !== undefined) || !logger) return;
    isFailing = !isFailing;
    if (isFailing) logger.error("The store of a channel fails; its streams wait", { error });
    else logger.warn("The store of a channel works again");
  };
  return {
    events: { ...events, gap: gapSchema },
    publish: async (event, data, { topic } = {}) => {
      const schema = toEventSchema("publish", schemas, event);
      if (topic !== undefined && typeof topic !== "string")
        throw new ServerFault(
          "SLP_CHANNEL_TOPIC",
          `publish: \`topic\` must be a string; got ${show(topic)}.`,
        );
      const published = { event, topic, data: toEventData(event, await toParser(schema)(data)) };
      const size = sizeOf(published);
      if (size > history.bytes)
        throw new ServerFault(
          "SLP_CHANNEL_EVENT_SIZE",
          `publish: the event \`${event}\` has ${size} bytes, but \`history.bytes\` is ${history.bytes}. Publish less, such as an id, or raise the limit.`,
        );
      return toId(await connection.publish(published));
    },
    "~follow": async (following) => {
      const { args, writer } = following;
      if (writer.isClosed()) return;
      const sendNew = createFollower(log, following, retry);
      followers.set(sendNew, args.logger);
      if (followers.size === 1 && readStore) {
        reading = new AbortController();
        readStore(reading.signal, report);
      }
      sendNew();
      if (!writer.isClosed())
        await once(args.response, "close", { signal: args.signal }).catch(() => undefined);
      followers.delete(sendNew);
      if (followers.size === 0) reading?.abort();
    },
  };
};
