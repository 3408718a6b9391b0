import createHttpError from "http-errors";
import { EndpointsFactory, defaultResultHandler, problemResultHandler } from "sallyport";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

beforeEach(() => void vi.stubEnv("NODE_ENV", "production"));
afterEach(() => vi.unstubAllEnvs());

const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), {
  syscall: "connect",
});

const errors = {
  closed: {
    status: 503,
    description: "The shop is closed",
    schema: z.object({ until: z.string() }),
  },
  502: "The bank does not answer",
} as const;

describe("in production, a declared 5xx", () => {
  const data = { until: "Monday" };
  test.each([
    [
      "default",
      defaultResultHandler,
      {
        status: "error",
        error: { message: "Closed until Monday", code: "closed", data },
      },
      { status: "error", error: { message: "The bank does not answer" } },
    ],
    [
      "problem",
      problemResultHandler,
      {
        status: 503,
        title: "Service Unavailable",
        detail: "Closed until Monday",
        code: "closed",
        data,
      },
      { status: 502, title: "Bad Gateway", detail: "The bank does not answer" },
    ],
  ] as const)(
    "sends its message, code and data with the %s result handler, but no cause",
    async (_name, resultHandler, closed, broken) => {
      const factory = new EndpointsFactory(resultHandler as typeof defaultResultHandler);
      const server = await start({
        closed: factory.build({
          errors,
          handler: ({ errors: { closed: create } }) => {
            throw create({ message: "Closed until Monday", data, cause: refused });
          },
        }),
        broken: factory.build({
          errors,
          handler: ({ errors: created }) => {
            throw created[502]({ cause: refused });
          },
        }),
      });
      expect((await server.send("/closed")).json()).toMatchObject(closed);
      const answer = await server.send("/broken");
      expect(answer.json()).toMatchObject(broken);
      expect(answer.text).not.toContain("10.0.0.7");
      // operators hear of it nevertheless
      expect(server.linesOf("error")).toHaveLength(2);
    },
  );

  test("hides the message of an error that is not created with `errors`", async () => {
    const server = await start({
      run: new EndpointsFactory(defaultResultHandler).build({
        errors,
        handler: () => {
          throw createHttpError(502, "connect 10.0.0.7");
        },
      }),
    });
    expect((await server.send("/run")).json()).toEqual({
      status: "error",
      error: { message: "Bad Gateway" },
    });
  });
});
