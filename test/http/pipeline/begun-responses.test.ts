import { Readable } from "node:stream";
import { defaultEndpointsFactory as factory, ez, Middleware, type Routing } from "sallyport";
import type { Response } from "express";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const begin: Readonly<Record<string, (response: Response) => unknown>> = {
  write: (response) => response.write("part"),
  flushHeaders: (response) => response.flushHeaders(),
  writeHead: (response) => response.writeHead(201, { "X-A": "1" }),
};
const output = z.object({ a: z.int() });

/** Endpoints whose response somebody begins, and nobody ends. */
const toRouting = (act: (response: Response) => unknown): Routing => ({
  unlimited: factory.build({
    handler: async ({ response }) => {
      act(response);
      return { a: 1 };
    },
  }),
  limited: factory.build({
    ...{ output, timeout: 10_000 },
    handler: ({ response }) => {
      act(response);
      return { a: 1 };
    },
  }),
  content: factory.build({
    output: ez.stream("text/plain"),
    handler: ({ response }) => {
      act(response);
      return Readable.from(["a"]);
    },
  }),
  context: factory
    .addMiddleware({
      handler: async ({ response }) => {
        act(response);
        return { user: 1 };
      },
    })
    .build({ handler: () => ({ a: 1 }) }),
  around: factory
    .addMiddleware(
      new Middleware({
        around: async ({ response }, next) => {
          const result = await next({});
          act(response);
          return result;
        },
      }),
    )
    .build({ handler: () => ({ a: 1 }) }),
  native: factory
    .use((_request, response, next) => {
      act(response);
      next();
    })
    .build({ handler: () => ({ a: 1 }) }),
});

test.each(
  Object.keys(begin).flatMap((way) =>
    Object.keys(toRouting(() => 0)).map((path) => [way, path] as const),
  ),
)(
  "R25: a response that is begun by `%s` and never ended is cut off at once: %s",
  async (way, path) => {
    const server = await start(toRouting(begin[way] as never));
    await expect(server.send(`/${path}`)).rejects.toThrow(/socket hang up|aborted/);
    const [line, ...others] = server.linesOf("error");
    expect([line?.meta, others]).toMatchObject([{ error: { code: "SLP_NOTHING_SENT" } }, []]);
  },
);

test("who begins a response and returns nothing, or is void, may end it later", async () => {
  const endLater = (response: Response): void => {
    response.write("a");
    setTimeout(() => response.end("b"), 5);
  };
  const server = await start({
    nothing: factory.build({ handler: ({ response }) => endLater(response) }),
    null: factory.build({
      handler: ({ response }) => {
        endLater(response);
        return null as never;
      },
    }),
    middleware: factory
      .addMiddleware({ handler: ({ response }) => endLater(response) })
      .build({ handler: () => ({}) }),
    around: factory
      .addMiddleware(
        new Middleware({ around: async ({ response }) => endLater(response) as never }),
      )
      .build({ handler: () => ({}) }),
    void: factory.buildVoid({ handler: ({ response }) => endLater(response) }),
    piped: factory.build({
      handler: ({ response }) => {
        Readable.from(["a", "b"]).pipe(response);
        return {};
      },
    }),
  });
  for (const path of ["nothing", "null", "middleware", "around", "void", "piped"])
    expect((await server.send(`/${path}`)).text).toBe("ab");
  expect(server.linesOf("error")).toEqual([]);
});
