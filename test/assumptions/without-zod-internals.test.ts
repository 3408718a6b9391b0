import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { createRecorder, send, type Sent } from "../http/harness.ts";
import { hideFromSources, isCalledBySources } from "./hide.ts";

type Sallyport = typeof import("sallyport");
type Schema = z.core.$ZodType;

/** A change that is made to each schema of the routing. */
type Change = (schema: Schema) => void;

const createRouting = ({ defaultEndpointsFactory: factory, ez }: Sallyport, change: Change) => {
  const by = <S extends z.ZodObject>(schema: S): S => {
    change(schema);
    return schema;
  };
  const shape = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number().min(0) }),
    z.object({ kind: z.enum(["square", "line"]), side: z.number().optional() }),
  ]);
  const body = by(
    z.object({
      name: z.string().min(2).default("none"),
      tags: z.array(z.union([z.int(), z.string().max(3)])).max(40),
      more: z.record(z.string(), z.number().catch(7)).optional(),
      shape: shape.optional(),
      tree: z.lazy(() => z.object({ leaf: z.literal(["a", 2]) })).optional(),
      isOn: z.stringbool().prefault("yes"),
      any: z.json().optional(),
    }),
  );
  const parse = factory.build({
    method: "post",
    input: body,
    output: by(z.object({ value: z.unknown() })),
    handler: async ({ input }) => ({ value: input }),
  });
  const pages = ez.paginated({ style: "offset", itemSchema: z.string(), itemsName: "words" });
  const page = factory.build({
    input: by(pages.input),
    output: by(pages.output),
    handler: async ({ input: { limit, offset } }) => ({ words: ["a"], total: 1, limit, offset }),
  });
  const sign = factory.build({
    method: "post",
    input: by(ez.form({ a: z.string().trim(), day: ez.dateIn().optional() })),
    output: z.object({ a: z.string() }),
    handler: async ({ input }) => ({ a: input.a }),
  });
  const words = ez.paginated({
    style: "cursor",
    itemSchema: z.string(),
    cursor: ez.cursor(z.object({ after: z.int() }), {
      secret: "a secret of 32 characters or more",
    }),
  });
  const next = factory.build({
    input: by(words.input),
    output: by(words.output),
    handler: async ({ input: { cursor, limit } }) => {
      const after = cursor?.after ?? 0;
      return { items: [`${after}`], limit, nextCursor: { after: after + 1 } };
    },
  });
  const event = z.object({ on: z.codec(z.string(), z.int(), { decode: Number, encode: String }) });
  const turn = factory.build({
    method: "post",
    input: by(event),
    output: by(ez.encode(event) as never as z.ZodObject),
    handler: async ({ input }) => input,
  });
  return { parse, page, sign, next, turn };
};

const bodies: readonly object[] = [
  { tags: [1, "abc"], more: { a: 1, b: "x" }, any: { list: [null, 1, "a"] } },
  { name: "Ada", tags: [], shape: { kind: "circle", radius: 1 }, tree: { leaf: 2 } },
  { name: "A", tags: [1.5, "abcd", null], shape: { kind: "oval" }, tree: { leaf: "b" } },
  { tags: Array.from({ length: 30 }, () => null), isOn: "perhaps" },
  { name: 5, isOn: "off", shape: { kind: "line" } },
];

const askAll = async (port: number): Promise<unknown[]> => {
  const answers: unknown[] = [];
  const ask = async (target: string, sent?: Sent): Promise<void> => {
    const answer = await send(port, target, sent);
    answers.push([answer.status, answer.json()]);
  };
  // three rounds, because a schema is compiled only after several parses
  for (let round = 0; round < 3; round++) {
    for (const body of bodies) await ask("/parse", { method: "POST", body });
    for (const query of ["", "?limit=2&offset=1", "?limit=x", "?limit=1.5"])
      await ask(`/page${query}`);
    const { text } = await send(port, "/next");
    const [, cursor = ""] = /"nextCursor":"([^"]+)"/.exec(text) ?? [];
    for (const query of ["", `?cursor=${cursor}`, "?cursor=wrong"]) await ask(`/next${query}`);
    for (const on of ["5", "x"]) await ask("/turn", { method: "POST", body: { on } });
    for (const body of ["a=+b+", "b=1", "a=1&day=2026-01-02", "a=1&day=no"])
      await ask("/sign", {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body,
      });
  }
  return answers;
};

/** Returns a server's responses, and the client and the document generated from its routing. */
const tellAll = async (change: Change): Promise<readonly unknown[]> => {
  vi.resetModules();
  const sallyport = await import("sallyport");
  const { generateOpenApi } = await import("sallyport/openapi");
  const { generateClient } = await import("sallyport/generate-client");
  const routing = createRouting(sallyport, change);
  const listen = { port: 0, host: "127.0.0.1" };
  const { servers, close } = await sallyport.createServer(
    { http: { listen }, cors: false, logger: createRecorder().logger },
    routing,
  );
  try {
    const address = servers[0]?.address() as AddressInfo;
    const answers = await askAll(address.port);
    const info = { title: "a", version: "1" };
    return [...answers, generateClient({ routing }), generateOpenApi({ routing, info })];
  } finally {
    await close();
  }
};

const listParts = (schema: unknown, parts: Set<Schema> = new Set()): Set<Schema> => {
  if (typeof schema !== "object" || schema === null) return parts;
  if (!("_zod" in schema)) {
    for (const inner of Object.values(schema)) listParts(inner, parts);
  } else if (!parts.has(schema as Schema)) {
    parts.add(schema as Schema);
    const { def } = (schema as z.core.$ZodTypes)._zod;
    if (def.type === "lazy") listParts((schema as z.core.$ZodLazy)._zod.innerType, parts);
    else
      for (const [name, inner] of Object.entries(def))
        if (!["checks", "defaultValue"].includes(name)) listParts(inner, parts);
  }
  return parts;
};

let expected: readonly unknown[] = [];

beforeAll(async () => {
  expected = await tellAll(() => undefined);
}, 60_000);

afterEach(() => {
  vi.doUnmock("zod");
  vi.resetModules();
});

test("the responses have the expected statuses", () => {
  const statuses = expected.slice(0, -2).map((answer) => (answer as [number, string])[0]);
  expect(statuses.slice(0, 18)).toEqual([
    ...[200, 200, 400, 400, 400],
    ...[200, 200, 400, 400],
    ...[200, 200, 400],
    ...[200, 400],
    ...[200, 400, 200, 400],
  ]);
});

test.each(["values", "propValues", "optin", "optout", "bag"])(
  "schemas without `%s`: responses, documents and clients do not change",
  async (name) => {
    const counters: (() => number)[] = [];
    const lack: Change = (schema) => {
      for (const { _zod: internals } of listParts(schema)) {
        // Zod caches the property once it is read
        void Reflect.get(internals, name);
        counters.push(hideFromSources(internals, name));
      }
    };
    // without `bag`, a document describes a stringbool as any string
    const last = name === "bag" ? -1 : undefined;
    expect((await tellAll(lack)).slice(0, last)).toEqual(expected.slice(0, last));
    const looks = counters.reduce((sum, count) => sum + count(), 0);
    expect(looks).toBeGreaterThan(0);
  },
);

test("definitions without additional properties: a form and a page are recognised by their schemas", async () => {
  let count = 0;
  const forget: Change = (schema) => {
    for (const part of listParts(schema)) {
      const { def } = part._zod;
      const marks = Reflect.ownKeys(def).filter((key) => String(key).includes("sallyport/"));
      for (const mark of marks) if (Reflect.deleteProperty(def, mark)) count++;
    }
  };
  expect(await tellAll(forget)).toEqual(expected);
  expect(count).toBeGreaterThan(2);
});

test("parses without a direction: cursors and encoded outputs do not change", async () => {
  let calls = 0;
  vi.doMock("zod", async (importOriginal) => {
    const original = await importOriginal<typeof import("zod")>();
    const { codec: createCodec, safeDecodeAsync, safeEncodeAsync } = original.z;
    const codec = (...args: Parameters<typeof createCodec>) => {
      const made = createCodec(...args);
      const run = made._zod.run.bind(made._zod);
      made._zod.run = (payload, { direction, ...context }) =>
        run(payload, isCalledBySources() || !direction ? context : { ...context, direction });
      return made;
    };
    const counting =
      <Args extends unknown[], Returned>(own: (...args: Args) => Returned) =>
      (...args: Args): Returned => {
        calls++;
        return own(...args);
      };
    const functions = {
      codec,
      safeDecodeAsync: counting(safeDecodeAsync),
      safeEncodeAsync: counting(safeEncodeAsync),
    };
    return { ...original, z: { ...original.z, ...functions } };
  });
  expect(await tellAll(() => undefined)).toEqual(expected);
  expect(calls).toBeGreaterThan(10);
});
