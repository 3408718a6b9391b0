import { setTimeout as sleep } from "node:timers/promises";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  EventStreamFactory,
  ez,
  Middleware,
  type EmitOptions,
  type ErrorEnvelope,
  type EventStream,
} from "../../index.ts";
import type { Endpoint, EventStreamResultHandler, NoOutput, ResponseBody } from "../../types.ts";

const events = {
  time: z.number(),
  note: z.object({ text: z.string(), kind: z.enum(["a", "b"]).optional() }),
  at: ez.dateOut(),
};
type Events = typeof events;

const factory = new EventStreamFactory(events);

describe("emit", () => {
  test("accepts the factory's events, each with its data", () => {
    factory.build({
      input: z.object({ every: z.coerce.number() }),
      handler: async ({ input, ctx: { emit, isClosed, signal } }) => {
        expectTypeOf(input).toEqualTypeOf<{ every: number }>();
        expectTypeOf(isClosed).toEqualTypeOf<() => boolean>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(emit).parameter(0).toEqualTypeOf<"time" | "note" | "at">();
        expectTypeOf(emit).parameter(2).toEqualTypeOf<EmitOptions | undefined>();
        expectTypeOf(emit("time", 1)).toEqualTypeOf<Promise<void>>();
        while (!isClosed()) {
          await emit("time", Date.now());
          await emit("note", { text: "literals need no `as const`", kind: "a" }, { id: "1" });
          // the type that the schema accepts, not the type that it returns
          await emit("at", new Date(), { retry: 5000 });
          await sleep(input.every, undefined, { signal });
        }
      },
    });
  });

  test("rejects unknown events, wrong data and unknown options", () => {
    factory.build({
      handler: async ({ ctx: { emit } }) => {
        // @ts-expect-error -- there is no such event
        await emit("tick", 1);
        // @ts-expect-error -- the data must be a number
        await emit("time", "1");
        // @ts-expect-error -- this is the data of another event
        await emit("note", 1);
        // @ts-expect-error -- not an allowed value
        await emit("note", { text: "", kind: "c" });
        // @ts-expect-error -- the data must be a Date
        await emit("at", "2026-11-20");
        // @ts-expect-error -- the data is missing
        await emit("time");
        // @ts-expect-error -- an id must be a string
        await emit("time", 1, { id: 1 });
        // @ts-expect-error -- there is no such option
        await emit("time", 1, { event: "other" });
      },
    });
    // @ts-expect-error -- not a schema
    void new EventStreamFactory({ time: "number" });
    // @ts-expect-error -- there is no such option
    void new EventStreamFactory(events, { heartBeat: 5 });
    // @ts-expect-error -- an event stream has no output schema
    factory.build({ output: z.object({}), handler: () => undefined });
  });
});

describe("the factory", () => {
  test("combines the context of middlewares with that of the stream", () => {
    const key = new Middleware({
      input: z.object({ key: z.string() }),
      handler: async () => ({ user: { id: 1 } }),
    });
    factory
      .addMiddleware(key)
      .addMiddleware({
        handler: ({ ctx }) => {
          expectTypeOf(ctx).toEqualTypeOf<{ user: { id: number } }>();
          // @ts-expect-error -- only the handler sends events
          void ctx.emit;
          return { one: 1 };
        },
      })
      .addContext((ctx) => ({ two: ctx.one + 1 }))
      .use((_request, _response, next) => next(), { provider: () => ({ three: 3 }) })
      .buildVoid({
        input: z.object({ page: z.coerce.number() }),
        handler: async ({ input, ctx }) => {
          expectTypeOf(input).toEqualTypeOf<{ key: string; page: number }>();
          expectTypeOf(ctx.user).toEqualTypeOf<{ id: number }>();
          expectTypeOf(ctx.one + ctx.two + ctx.three).toEqualTypeOf<number>();
          expectTypeOf(ctx.emit).toEqualTypeOf<EventStream<Events>["emit"]>();
          // @ts-expect-error -- no middleware adds this field
          void ctx.missing;
        },
      });
    // @ts-expect-error -- nothing has added `user` so far
    factory.addMiddleware({ handler: ({ ctx }: { ctx: { user: string } }) => ctx });
  });

  test("builds endpoints that carry their input and their events", () => {
    const input = z.object({ id: z.string() });
    const endpoint = factory
      .addMiddleware({ input: z.object({ key: z.string() }), handler: () => undefined })
      .build({ method: "post", input, handler: () => undefined });
    expectTypeOf(endpoint).toEqualTypeOf<
      Endpoint<
        "post",
        typeof input,
        NoOutput,
        { key: string },
        EventStreamResultHandler<Events>,
        200
      >
    >();

    type Handler = NonNullable<EventStreamResultHandler<Events>["~types"]>;
    type Optional = { readonly id?: string | undefined; readonly retry?: number | undefined };
    expectTypeOf<ResponseBody<Handler["positive"]>>().branded.toEqualTypeOf<
      | ({ readonly event: "time"; readonly data: number } & Optional)
      | ({
          readonly event: "note";
          readonly data: { text: string; kind?: "a" | "b" | undefined };
        } & Optional)
      | ({ readonly event: "at"; readonly data: string } & Optional)
    >();
    expectTypeOf<Handler["positive"]["mimeType"]>().toEqualTypeOf<"text/event-stream">();
    expectTypeOf<ResponseBody<Handler["negative"]>>().toEqualTypeOf<ErrorEnvelope>();
  });
});
