import { defaults } from "../../basics/defaults.ts";
import { DefinitionError } from "../../basics/errors.ts";
import { aFunction, be, checkOptions, isDelay } from "../../basics/messages/option-checks.ts";
import { show } from "../../basics/messages/show.ts";
import type { Method } from "../../basics/http/method.ts";
import {
  createEventStreamResultHandler,
  type EventSchemas,
  type EventStreamResultHandler,
} from "../results/event-stream-result-handler.ts";
import type { DefaultResultHandler } from "../results/default-result-handler.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { EmptyObject, InputSchema, NoInput, NoOutput } from "../../basics/schemas/schema.ts";
import { anEndpointsFactory } from "./check-definition.ts";
import type { ErrorDeclarations } from "./declared-errors.ts";
import type { EndpointsFactory } from "./endpoints-factory.ts";
import { Endpoint } from "./endpoint.ts";
import { definitionChecks } from "./endpoint-definition.ts";
import type { EventStreamSettings } from "../../wire/reply/event-writer.ts";
import type { EventStream, StreamHandler } from "./event-stream.ts";
import {
  aChannel,
  createFollowHandler,
  toEventSchemas,
  type ChannelDefinition,
  type NoChannel,
  type StreamDefinition,
} from "./channel-definition.ts";
import { Factory, type FactoryKind } from "./factory.ts";
import type { Spread } from "./handler-arguments.ts";

const { eventStream: usual } = defaults;

/** Options for an {@link EventStreamFactory}. */
export interface EventStreamOptions {
  /**
   * How long the stream may be silent before a comment is sent, in milliseconds; 0 sends no comments. Comments keep
   * proxies from closing the connection and reveal clients that have disconnected.
   *
   * @default 15000
   */
  readonly heartbeat?: number | undefined;
  /**
   * How long the handler may take to emit its first event before the stream is opened without one, in milliseconds.
   * Until then, an error gets a response with its own status; afterwards it can only end the stream abruptly.
   *
   * @default 10000
   */
  readonly openAfter?: number | undefined;
  /**
   * How many bytes may be buffered for a slow client. If the handler does not await `emit`, a client that exceeds this
   * limit is disconnected.
   *
   * @default 1048576
   */
  readonly maxBuffered?: number | undefined;
}

interface EventStreamFactoryKind<
  Events extends EventSchemas,
  Handler extends AnyResultHandler,
> extends FactoryKind {
  readonly factory: EventStreamFactory<
    Events,
    this["middlewareInput"],
    this["middlewareOutput"],
    this["context"],
    this["errors"],
    Handler
  >;
}

/**
 * Builds endpoints that send server-sent events, as `text/event-stream`.
 *
 * The handler sends events with `ctx.emit`, which validates their data with the factory's schemas; the stream ends when
 * the handler returns. An error before the first event is sent by the result handler of the `factory` option, by default
 * `defaultResultHandler`; a later error ends the stream abruptly. A factory is immutable: `addMiddleware`, `addContext` and `use` return a new one.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 * @example
 * const ticks = new EventStreamFactory({ time: z.number() });
 * const clock = ticks.build({
 *   handler: async ({ ctx: { emit, isClosed, signal } }) => {
 *     while (!isClosed()) {
 *       await emit("time", Date.now());
 *       await setTimeout(1000, undefined, { signal });
 *     }
 *   },
 * });
 */
export class EventStreamFactory<
  Events extends EventSchemas,
  MiddlewareInput = unknown,
  MiddlewareOutput = EmptyObject,
  Context = EmptyObject,
  Errors = EmptyObject,
  Handler extends AnyResultHandler = DefaultResultHandler,
> extends Factory<
  EventStreamFactoryKind<Events, Handler>,
  MiddlewareInput,
  MiddlewareOutput,
  Context,
  Errors
> {
  protected override readonly isStreaming = true;
  private readonly settings: EventStreamSettings;

  /**
   * @param events the schema of each event's data, by event name; `{}` if all endpoints follow channels
   * @throws {@link DefinitionError} when a name cannot be sent, a value is not a Zod 4 schema, or an option is invalid.
   */
  constructor(
    events: Events,
    options: EventStreamOptions & {
      /**
       * The factory whose middlewares run before the stream, and whose result handler sends the errors that occur before
       * the first event.
       *
       * @default no middlewares, and `defaultResultHandler`
       */
      readonly factory?:
        | EndpointsFactory<MiddlewareInput, MiddlewareOutput, Context, Handler, Errors>
        | undefined;
    } = {},
  ) {
    const schemas = toEventSchemas("new EventStreamFactory", events, "the first argument");
    checkOptions("new EventStreamFactory", options, optionChecks);
    const { heartbeat = usual.heartbeat, openAfter = usual.openAfter } = options;
    const { maxBuffered = usual.maxBuffered, factory } = options;
    super(
      createEventStreamResultHandler(events, factory?.["resultHandler"]),
      factory?.["middlewares"],
      factory?.["access"],
    );
    this.settings = { schemas, heartbeat, openAfter, maxBuffered };
  }

  /**
   * Builds an endpoint that sends events until its handler returns, or that sends the events of a channel.
   *
   * The configuration's `requestTimeout` does not apply, not even to the middlewares; the endpoint's own `timeout`
   * covers the middlewares and the whole stream, and ends the stream when it expires.
   *
   * @throws {@link DefinitionError} when the method, the input schema or the handler is invalid.
   */
  build<
    Input extends InputSchema = NoInput,
    M extends Method = never,
    Thrown extends ErrorDeclarations = EmptyObject,
    Headers extends InputSchema = NoInput,
    Followed extends EventSchemas = Events,
  >(
    definition:
      | (StreamDefinition<
          M,
          Input,
          MiddlewareOutput,
          Spread<Context, EventStream<Events>>,
          Thrown,
          Headers,
          Errors
        > &
          NoChannel)
      | ChannelDefinition<M, Input, MiddlewareOutput, Context, Thrown, Headers, Followed, Errors>,
  ): StreamEndpoint<M, Input, MiddlewareInput, Followed, Thrown, Errors, Headers, Handler> {
    const { settings } = this;
    const following = definition?.channel === undefined ? undefined : definition;
    if (following?.handler !== undefined)
      throw new DefinitionError(
        "SLP_DEFINITION_HANDLER",
        "build: got both `channel` and `handler`. Remove one: an endpoint with a channel sends the events of the channel.",
      );
    const follow =
      following && createFollowHandler(following.channel, following.topic, settings.maxBuffered);
    const parts = follow
      ? this.toParts("build", { ...following, handler: follow }, channelChecks)
      : this.toParts("build", definition, streamChecks, "emits the events");
    if (!following && settings.schemas.size === 0)
      throw new DefinitionError(
        "SLP_DEFINITION_EVENT",
        "build: the factory has no events for `handler` to emit. Declare them, as in new EventStreamFactory({ time: z.number() }), or set `channel` in place of `handler`.",
      );
    const { handle } = parts;
    const handler: StreamHandler = follow ?? ((args) => handle(args as never));
    return new Endpoint({
      ...parts,
      resultHandler: following
        ? createEventStreamResultHandler(following.channel.events, this.resultHandler)
        : parts.resultHandler,
      timeout: parts.timeout ?? 0,
      handle: async (args) => {
        // the code that sends events is loaded with the first stream
        const { runEventStream } = await import("./event-stream.ts");
        await runEventStream(settings, handler, args);
      },
    });
  }

  /** Alias of {@link EventStreamFactory.build}. */
  get buildVoid(): typeof this.build {
    return this.build.bind(this);
  }
}

/** An endpoint built by an {@link EventStreamFactory}. */
export type StreamEndpoint<
  M extends Method,
  Input extends InputSchema,
  MiddlewareInput,
  Events extends EventSchemas,
  Errors,
  MiddlewareErrors,
  Headers extends InputSchema,
  Handler = DefaultResultHandler,
> = Endpoint<
  M,
  Input,
  NoOutput,
  MiddlewareInput,
  EventStreamResultHandler<Events, Handler>,
  200,
  Errors,
  MiddlewareErrors,
  Headers
>;

const {
  statusCode: _status,
  responseHeaders: _fields,
  ifMatch: _match,
  current: _current,
  ...streamChecks
} = definitionChecks;
const channelChecks = { ...streamChecks, channel: aChannel, topic: aFunction };

const delay = "a number of milliseconds from 0 to 2147483647";

const orOmit =
  (otherwise: number) =>
  (value: unknown): string =>
    `${show(value)}. Omit it to use ${otherwise}`;

const optionChecks = {
  heartbeat: be(delay, isDelay, orOmit(usual.heartbeat)),
  openAfter: be(delay, isDelay, orOmit(usual.openAfter)),
  maxBuffered: be(
    "a number of bytes, 0 or more",
    (value) => typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER,
    orOmit(usual.maxBuffered),
  ),
  factory: anEndpointsFactory,
};
