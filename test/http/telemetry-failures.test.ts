import { context, propagation, trace } from "@opentelemetry/api";
import { NodeTracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace-node";
import { defaultEndpointsFactory as factory } from "sallyport";
import { openTelemetry } from "sallyport/opentelemetry";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

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
