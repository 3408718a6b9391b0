import { DefinitionError, ServerFault } from "../../basics/errors.ts";
import type { Method } from "../../basics/http/method.ts";
import { show } from "../../basics/messages/show.ts";
import { be, isObject, type Check } from "../../basics/messages/option-checks.ts";
import type { EventSchemas } from "../results/event-stream-result-handler.ts";
import type { AcceptedOutput } from "../results/result.ts";
import {
  toSchema,
  type EmptyObject,
  type InputSchema,
  type ZodSchema,
} from "../../basics/schemas/schema.ts";
import type { ErrorDeclarations } from "./declared-errors.ts";
import type { ThrowableErrors } from "./error-factories.ts";
import type { VoidEndpointDefinition } from "./endpoint-definition.ts";
import type { EventWriter } from "../../wire/reply/event-writer.ts";
import type { StreamHandler } from "./event-stream.ts";
import type { ArgumentsOf, HandlerArguments, MaybePromise } from "./handler-arguments.ts";

/** What a channel needs to send its events on a stream. */
export interface FollowArguments {
  readonly args: Pick<
    HandlerArguments<unknown, unknown>,
    "request" | "response" | "signal" | "logger"
  >;
  readonly writer: Pick<
    EventWriter,
    "attempt" | "cut" | "isClosed" | "toHeartbeat" | "waitForRoom" | "write"
  >;
  /** The topics whose events are sent; undefined for all events. */
  readonly topics: ReadonlySet<string> | undefined;
  /** How many bytes may be published while the connection of a client is full. */
  readonly maxBuffered: number;
}

/** The part of a channel of `sallyport/channel` that an endpoint uses. */
export interface FollowedChannel<Events extends EventSchemas> {
  /** The schemas of the events that clients receive, `gap` among them. */
  readonly events: Events;
  /** Sends the events of the channel until the stream ends. Internal. */
  readonly "~follow": (args: FollowArguments) => Promise<void>;
}

/** The argument of an event stream factory's `build`; a stream always opens with status 200. */
export type StreamDefinition<
  M extends Method,
  Input extends InputSchema,
  MiddlewareOutput,
  Context,
  Errors extends ErrorDeclarations,
  Headers extends InputSchema,
  FactoryErrors = EmptyObject,
> = Omit<
  VoidEndpointDefinition<
    M,
    Input,
    ArgumentsOf<MiddlewareOutput, Context, Input, Headers, ThrowableErrors<FactoryErrors, Errors>>,
    AcceptedOutput,
    200,
    Errors,
    Headers
  >,
  "statusCode" | "responseHeaders" | "ifMatch" | "current"
>;

/** The argument of an event stream factory's `build` that sends the events of a channel. */
export interface ChannelDefinition<
  M extends Method,
  Input extends InputSchema,
  MiddlewareOutput,
  Context,
  Errors extends ErrorDeclarations,
  Headers extends InputSchema,
  Followed extends EventSchemas,
  FactoryErrors = EmptyObject,
> extends Omit<
  StreamDefinition<M, Input, MiddlewareOutput, Context, Errors, Headers, FactoryErrors>,
  "handler"
> {
  /** The channel whose events the endpoint sends, in place of a `handler`; made with `createChannel`. */
  readonly channel: FollowedChannel<Followed>;
  /**
   * Returns the topic, or the topics, whose events the client receives; it may throw, for example a 403. Events that
   * were published without a topic are not among them.
   *
   * @default the client receives all events of the channel
   */
  readonly topic?:
    | ((
        args: ArgumentsOf<
          MiddlewareOutput,
          Context,
          Input,
          Headers,
          ThrowableErrors<FactoryErrors, Errors>
        >["args"],
      ) => MaybePromise<string | readonly string[]>)
    | undefined;
  readonly handler?: undefined;
}

export interface NoChannel {
  readonly channel?: undefined;
  readonly topic?: undefined;
}

export const aChannel: Check = be(
  "a channel, made with `createChannel` of `sallyport/channel`",
  (value) => typeof Reflect.get(Object(value) as object, "~follow") === "function",
);

export const createFollowHandler =
  (
    channel: FollowedChannel<EventSchemas>,
    topic: ((args: never) => unknown) | undefined,
    maxBuffered: number,
  ): StreamHandler =>
  async (args, writer) => {
    const topics = topic && toTopics(await topic(args as never));
    await channel["~follow"]({ args, writer, topics, maxBuffered });
  };

const toTopics = (returned: unknown): ReadonlySet<string> => {
  const topics: readonly unknown[] = [returned].flat();
  // a missing topic must never stand for all of them
  if (topics.every((topic) => typeof topic === "string")) return new Set(topics as string[]);
  throw new ServerFault(
    "SLP_CHANNEL_TOPIC",
    `\`topic\` must return a string or an array of strings; got ${show(returned)}.`,
  );
};

export const toEventSchemas = (
  where: string,
  events: unknown,
  what: string,
): ReadonlyMap<string, ZodSchema> => {
  if (!isObject(events))
    throw new DefinitionError(
      "SLP_DEFINITION_EVENT",
      `${where}: ${what} must be an object of events, as in { time: z.number() }; got ${show(events)}.`,
    );
  return new Map(
    Object.entries(events).map(([name, schema]) => [name, assertEvent(where, name, schema)]),
  );
};

const assertEvent = (where: string, name: string, schema: unknown): ZodSchema => {
  // a line break would end the field, and clients treat an empty name as `message`
  if (name === "" || /[\r\n]/.test(name))
    throw new DefinitionError(
      "SLP_DEFINITION_EVENT",
      `${where}: the name of an event must be a non-empty string without line breaks; got ${JSON.stringify(name)}. Rename it.`,
    );
  return toSchema(`${where}: \`${name}\``, schema, "z.number()");
};
