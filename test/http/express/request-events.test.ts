import type { Request, RequestHandler } from "express";
import { defaultEndpointsFactory } from "sallyport";
import { expect, test } from "vitest";
import { start } from "../harness.ts";

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
