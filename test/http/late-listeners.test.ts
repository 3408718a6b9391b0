import type { Request, RequestHandler } from "express";
import { defaultEndpointsFactory, type ServerConfig } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

/** Serves one request, and returns the events that the given middleware notes. */
const listEvents = async (
  listen: (request: Request, note: (event: string) => void) => RequestHandler,
): Promise<readonly string[]> => {
  const events: string[] = [];
  const middleware: RequestHandler = (request, response, next) => {
    const run = listen(request, (event) => events.push(event));
    return run(request, response, next);
  };
  const routing = {
    a: defaultEndpointsFactory.use(middleware).build({ handler: async () => ({}) }),
  };
  const server = await start(routing);
  expect((await server.send("/a")).status).toBe(200);
  await server.untilLeft();
  return events;
};

test.each(["finish", "close"])(
  "a listener for a response's `%s` may listen for the end of the request",
  async (event) => {
    const events = await listEvents((request, note) => (_request, response, next) => {
      response.once(event, () => {
        request.once("end", () => note("end")).once("close", () => note("close"));
      });
      next();
    });
    // before version 26, Node emits `end` after the response's `close`
    expect(events.filter((one) => one === "close" || event === "finish")).toEqual(
      event === "finish" ? ["end", "close"] : ["close"],
    );
  },
);

test("a request whose `res` is removed is served without an error", async () => {
  const ended = listEvents((request) => (_request, response, next) => {
    response.once("prefinish", () => Object.assign(request, { res: null }));
    next();
  });
  await expect(ended).resolves.toEqual([]);
});

test("a request whose `emit` was replaced emits `end` and `close`", async () => {
  const events = await listEvents((request, note) => (_request, _response, next) => {
    const emit = request.emit.bind(request) as (...args: unknown[]) => boolean;
    request.emit = (...args: unknown[]) => {
      note(String(args[0]));
      return emit(...args);
    };
    next();
  });
  expect(events.filter((event) => event !== "resume" && event !== "readable")).toEqual([
    "end",
    "close",
  ]);
});

test("the Content-Length of a response sent on the fast path reads as a string, as with Express", async () => {
  const lengths: unknown[] = [];
  const a = defaultEndpointsFactory.build({
    handler: async ({ response }) => {
      response.once("finish", () => {
        lengths.push(response.getHeader("Content-Length"), response.getHeaders()["content-length"]);
      });
      return {};
    },
  });
  const server = await start({ a });
  expect((await server.send("/a")).status).toBe(200);
  expect(lengths).toEqual(["30", "30"]);
});

test("a `query` getter that a hook defines for all requests takes precedence", async () => {
  const beforeRouting: ServerConfig["beforeRouting"] = ({ app }) => {
    Object.defineProperty(app.request, "query", { get: () => ({ from: "hook" }) });
  };
  const echo = defaultEndpointsFactory.build({
    input: z.object({ from: z.string() }),
    handler: async ({ input }) => input,
  });
  const server = await start({ echo }, { beforeRouting });
  expect((await server.send("/echo?from=client")).json()).toEqual({
    status: "success",
    data: { from: "hook" },
  });
});
