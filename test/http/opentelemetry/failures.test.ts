import { context, propagation, trace } from "@opentelemetry/api";
import { NodeTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { defaultEndpointsFactory as factory } from "sallyport";
import { openTelemetry, type Telemetry } from "sallyport/opentelemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

let failing = "";
const fail = (name: string) => (): void => {
  if (failing === name) throw new Error(name);
};
const processor: SpanProcessor = {
  onStart: fail("onStart"),
  onEnd: fail("onEnd"),
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};

beforeAll(() => new NodeTracerProvider({ spanProcessors: [processor] }).register());
// the tests of other files run in the same process
afterAll(() => {
  for (const api of [trace, context, propagation]) api.disable();
});

test.each(["onStart", "onEnd"])("a span processor whose %s fails fails no stage", async (name) => {
  let runs = 0;
  const pay = factory.addMiddleware({ handler: () => ({ user: 1 }) }).build({
    input: z.object({ fail: z.string().optional() }),
    handler: async ({ input, ctx }) => {
      runs++;
      if (input.fail !== undefined) throw new Error("no money");
      return { user: ctx.user };
    },
  });
  const telemetry = openTelemetry({ spans: ["handler", "middlewares", "validation"] });
  const server = await start({ pay }, { telemetry });
  failing = name;
  expect((await server.send("/pay")).json()).toMatchObject({ data: { user: 1 } });
  expect((await server.send("/pay?fail=1")).status).toBe(500);
  expect(runs).toBe(2);
  const faults = server.linesOf("error").filter(({ message }) => message === "Server fault");
  expect(faults).toMatchObject([{ meta: { error: { message: "no money" } } }]);
});

test.each(["throws", "rejects"])("telemetry of which everything %s is logged once", async (how) => {
  const error = new Error("broken");
  const run = (): never => {
    if (how === "throws") throw error;
    return Promise.reject(error) as never;
  };
  const observation = { logFields: {}, run, recordFault: run, end: run };
  const telemetry: Telemetry = { begin: () => observation, tracePlan: run };
  let runs = 0;
  const pay = factory.build({
    handler: () => {
      runs++;
      throw new Error("no money");
    },
  });
  const server = await start({ pay, other: pay }, { telemetry });
  for (const path of ["/pay", "/pay", "/other"]) expect((await server.send(path)).status).toBe(500);
  expect(runs).toBe(3);
  const failures = () =>
    server.linesOf("error").filter(({ message }) => message === "The telemetry failed");
  // tracePlan, run, recordFault and end
  await expect.poll(() => failures().length).toBe(4);
  for (const { meta } of failures()) expect(meta).toEqual({ error });
});

test("telemetry that observes nothing is asked once per request, also behind hooks", async () => {
  let count = 0;
  const begin = (): undefined => void count++;
  const telemetry: Telemetry = { begin, tracePlan: (plan) => plan };
  const ping = factory.build({ handler: () => ({}) });
  const server = await start({ ping }, { telemetry, beforeRouting: () => undefined });
  expect((await server.send("/ping")).status).toBe(200);
  expect(count).toBe(1);
});

test("telemetry may run a request late, which runs only once", async () => {
  let runs = 0;
  const count = factory.build({
    handler: async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return {};
    },
  });
  const begin: Telemetry["begin"] = () => ({
    ...{ logFields: {}, recordFault: () => undefined, end: () => undefined },
    run: (serve) => {
      setImmediate(serve);
      return undefined as never;
    },
  });
  const server = await start({ count }, { telemetry: { begin, tracePlan: (plan) => plan } });
  expect((await server.send("/count")).status).toBe(200);
  expect(runs).toBe(1);
});
