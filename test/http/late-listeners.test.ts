import type { Request, RequestHandler } from "express";
import { defaultEndpointsFactory, type ServerConfig } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "./harness.ts";

/** Returns the events of a request that a middleware receives until everything about it is over. */
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
  await new Promise((resolve) => setTimeout(resolve, 20));
  return events;
};

test.each(["finish", "close"])(
  "a listener for a response's `%s` may still listen for the end of the request",
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

test("a request that has lost its response ends", async () => {
  const ended = listEvents((request) => (_request, _response, next) => {
    Object.assign(request, { res: null });
    next();
  });
  await expect(ended).resolves.toEqual([]);
});

test("a request whose `emit` was replaced emits its end", async () => {
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

test("the fields of a response that was sent at once are strings, as Express sets them", async () => {
  let length: unknown;
  await listEvents(() => (_request, response, next) => {
    response.once("finish", () => {
      length = [response.getHeader("Content-Length"), response.getHeaders()["content-length"]];
    });
    next();
  });
  expect(length).toEqual(["30", "30"]);
});

test("a query that a hook has redefined for all requests takes precedence", async () => {
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
