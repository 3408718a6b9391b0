import createHttpError from "http-errors";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  type Routing,
} from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { importGenerated } from "./generated-client.ts";
import { start } from "./harness.ts";

interface Client {
  readonly provide: (key: string, input?: unknown) => Promise<unknown>;
  readonly iterate: (key: string) => AsyncIterable<unknown>;
  readonly subscribe: (key: string) => AsyncIterable<unknown>;
}

const at = new Date("2026-11-21T10:00:00.250Z");
const text = at.toISOString();

const tree = z.object({
  at: z.date(),
  get parts() {
    return z.array(tree);
  },
});

/** Output schemas, each with the value that the handler returns and the value that the client receives. */
const cases: Readonly<Record<string, readonly [schema: z.ZodType, given: unknown, got: unknown]>> =
  {
    plain: [z.date(), at, at],
    encoded: [ez.encode(ez.dateIn()), at, at],
    out: [ez.dateOut(), at, at],
    iso: [z.iso.datetime(), text, at],
    local: [z.iso.datetime({ local: true }), "2026-11-21T10:00:00", "2026-11-21T10:00:00"],
    day: [z.iso.date(), "2026-11-21", "2026-11-21"],
    string: [z.string(), text, text],
    nothing: [z.date().nullable(), null, null],
    list: [z.array(z.date()), [at], [at]],
    tuple: [z.tuple([z.string(), z.date()], z.date()), [text, at, at], [text, at, at]],
    record: [z.record(z.string(), z.date()), { [text]: at }, { [text]: at }],
    looseRecord: [
      z.looseRecord(z.templateLiteral(["at", z.string()]), z.iso.datetime()),
      { at: text, other: text },
      { at: text, other: text },
    ],
    object: [z.object({ at: z.date(), text: z.string() }), { at, text }, { at, text }],
    loose: [z.object({ text: z.string() }).catchall(z.date()), { text, at }, { text, at }],
    tree: [tree, { at, parts: [{ at, parts: [] }] }, { at, parts: [{ at, parts: [] }] }],
    both: [
      z.object({ a: z.date() }).and(z.object({ b: z.date(), c: z.string() })),
      { a: at, b: at, c: text },
      { a: at, b: at, c: text },
    ],
    told: [
      z.array(
        z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("a"), at: z.date() }),
          z.object({ kind: z.literal("b"), at: z.string() }),
        ]),
      ),
      [
        { kind: "a", at },
        { kind: "b", at: text },
      ],
      [
        { kind: "a", at },
        { kind: "b", at: text },
      ],
    ],
    numberOr: [z.union([z.date(), z.number()]), at, at],
    stringOr: [z.union([z.date(), z.string()]), at, text],
    objectOr: [
      z.union([z.object({ at: z.date() }), z.object({ at: z.string() })]),
      { at },
      { at: text },
    ],
    objectOrNothing: [z.union([z.object({ at: z.date() }), z.null()]), { at }, { at }],
  };

const serve = async (routing: Routing): Promise<Client> => {
  const { port } = await start(routing);
  const { createClient } = await importGenerated<Client>(routing, {}, "date");
  return createClient({ baseUrl: `http://127.0.0.1:${port}` });
};

describe("the client converts strings that are known to be dates into dates", () => {
  test.each(Object.entries(cases))("%s", async (_name, [schema, given, got]) => {
    const client = await serve({
      a: factory.build({
        output: z.object({ value: schema }),
        handler: async () => ({ value: given }),
      }),
    });
    expect(await client.provide("get /a")).toEqual({ status: "success", data: { value: got } });
  });

  test("in the data of errors, depending on the status", async () => {
    const client = await serve({
      a: factory.build({
        errors: { 409: { description: "Until", schema: z.object({ until: z.date() }) } },
        output: z.object({ until: z.string() }),
        handler: async () => {
          throw createHttpError(409, "Taken", { data: { until: at } });
        },
      }),
    });
    expect(await client.provide("get /a")).toMatchObject({ error: { data: { until: at } } });
  });

  test("in items of pages, and in events", async () => {
    const pages = ez.paginated({ style: "cursor", itemSchema: z.object({ at: z.date() }) });
    const events = new EventStreamFactory({ tick: z.object({ at: z.date() }) });
    const client = await serve({
      pages: factory.build({
        ...pages,
        handler: async () => ({ items: [{ at }], nextCursor: null, limit: 1 }),
      }),
      ticks: events.build({
        handler: async ({ ctx: { emit } }) => {
          await emit("tick", { at });
        },
      }),
    });
    for await (const item of client.iterate("get /pages")) expect(item).toEqual({ at });
    for await (const event of client.subscribe("get /ticks")) {
      expect(event).toMatchObject({ event: "tick", data: { at } });
      break;
    }
    expect.assertions(2);
  });
});
