import { setTimeout as sleep } from "node:timers/promises";
import type { Request } from "express";
import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start, successEnvelope } from "./harness.ts";

/** Sends a body to an endpoint behind a native middleware that does something to the request. */
const sendBehind = async (touch: (request: Request) => unknown, length: number) => {
  const endpoint = factory
    .use(async (request, _response, next) => {
      await touch(request);
      next();
    })
    .build({
      method: "post",
      input: z.object({ text: z.string() }),
      handler: ({ input }) => ({ length: input.text.length }),
    });
  const server = await start({ run: endpoint }, { bodyIdleTimeout: 150 });
  const answer = await server.send("/run", { method: "POST", body: { text: "x".repeat(length) } });
  return { answer, faults: server.linesOf("error") };
};

describe.each([5, 200_000])("H17: a body of %i bytes behind a native middleware", (length) => {
  test("that has paused the request is read", async () => {
    const pause = async (request: Request): Promise<void> => {
      request.pause();
      await sleep(20);
    };
    const { answer } = await sendBehind(pause, length);
    expect(answer.json()).toEqual(successEnvelope({ length }));
  });

  test.each<readonly [string, (request: Request) => unknown]>([
    ["listens to `readable`", (request) => request.on("readable", () => undefined)],
    ["has begun to iterate", (request) => request[Symbol.asyncIterator]().next()],
    ["has called `setEncoding`", (request) => request.setEncoding("utf8")],
    ["has destroyed the request", (request) => request.take(1).toArray()],
  ])("that %s is answered with 500, and the log names the cause", async (_name, touch) => {
    const { answer, faults } = await sendBehind(touch, length);
    expect(answer.status).toBe(500);
    expect(faults).toMatchObject([{ meta: { error: { code: "SLP_BODY_UNREADABLE" } } }]);
  });
});
