import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Client } from "../../describe/client/index.ts";
import { EventStreamFactory, ez, Middleware } from "../../index.ts";
import type { Endpoint, EventStreamResultHandler, NoOutput } from "../../types.ts";
import { createChannel, type Channel, type ChannelEvents, type ChannelGap } from "./index.ts";

const events = { placed: z.object({ id: z.int() }), at: ez.dateOut() };
const orders = createChannel({ events });

describe("a channel", () => {
  test("accepts its events, each with its data", () => {
    expectTypeOf(orders).toEqualTypeOf<Channel<typeof events>>();
    expectTypeOf(orders.publish("placed", { id: 1 }, { topic: "a" })).toEqualTypeOf<
      Promise<string>
    >();
    // the type that the schema accepts, not the one that it returns
    void orders.publish("at", new Date());
    // @ts-expect-error -- there is no such event
    void orders.publish("plced", { id: 1 });
    // @ts-expect-error -- clients are told of gaps by the channel alone
    void orders.publish("gap", { requested: "", earliest: "", latest: "" });
    // @ts-expect-error -- this is the data of another event
    void orders.publish("placed", new Date());
    const either = "placed" as "placed" | "at";
    // @ts-expect-error -- the data must fit both events
    void orders.publish(either, new Date());
    // @ts-expect-error -- a topic is a string
    void orders.publish("placed", { id: 1 }, { topic: 1 });
  });

  test("cannot declare `gap`, and has no other options", () => {
    // @ts-expect-error -- the name is taken
    createChannel({ events: { gap: z.string() } });
    // @ts-expect-error -- there is no such option
    createChannel({ events, histroy: {} });
  });
});

test("the data of an event is inferred as its schema says", () => {
  const colours = z.enum(["red", "green"]);
  const channel = createChannel({
    events: { painted: colours, any: z.any(), none: z.undefined() },
  });
  const colour = "red" as z.infer<typeof colours>;
  void channel.publish("painted", colour);
  void channel.publish("painted", "green");
  void channel.publish("any", 1);
  void channel.publish("none", undefined);
  // @ts-expect-error -- there is no such colour
  void channel.publish("painted", "blue");
});

describe("an endpoint with a channel", () => {
  const user = new Middleware({
    input: z.object({ key: z.string() }),
    handler: async () => ({ user: { shop: "a" } }),
  });
  const factory = new EventStreamFactory({}).addMiddleware(user);

  test("sees the input and the context in `topic`", () => {
    const input = z.object({ id: z.string() });
    const endpoint = factory.build({
      method: "post",
      input,
      channel: orders,
      topic: ({ input, ctx, request }) => {
        expectTypeOf(input).toEqualTypeOf<{ key: string; id: string }>();
        expectTypeOf(ctx).toEqualTypeOf<{ user: { shop: string } }>();
        expectTypeOf(request.path).toEqualTypeOf<string>();
        return [ctx.user.shop, input.id];
      },
    });
    expectTypeOf(endpoint).toEqualTypeOf<
      Endpoint<
        "post",
        typeof input,
        NoOutput,
        { key: string },
        EventStreamResultHandler<ChannelEvents<typeof events>>,
        200
      >
    >();
    factory.build({ channel: orders, topic: async () => "a" });
  });

  test("has no handler, and its topic returns strings", () => {
    // @ts-expect-error -- the channel takes the place of the handler
    factory.build({ channel: orders, handler: () => undefined });
    // @ts-expect-error -- without a channel, there are no topics
    factory.build({ handler: () => undefined, topic: () => "a" });
    // @ts-expect-error -- a client without a topic must not receive all of them
    factory.build({ channel: orders, topic: () => undefined });
    // @ts-expect-error -- neither a handler nor a channel
    factory.build({ method: "get" });
    // @ts-expect-error -- not a channel
    factory.build({ channel: events });
  });

  test("gives clients its events and `gap`", () => {
    const routing = { follow: factory.build({ channel: orders }) };
    const watch = async (client: Client<typeof routing>) => {
      for await (const { event, data } of client.subscribe("get /follow", { key: "a" })) {
        if (event === "gap")
          expectTypeOf(data).toEqualTypeOf<{ -readonly [K in keyof ChannelGap]: string }>();
        else if (event === "placed") expectTypeOf(data).toEqualTypeOf<{ id: number }>();
        else expectTypeOf(event).toEqualTypeOf<"at">();
      }
    };
    expectTypeOf(watch).toBeFunction();
  });
});
