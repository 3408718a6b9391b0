import createHttpError from "http-errors";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory as factory } from "../../index.ts";
import { testEndpoint } from "./index.ts";

interface AppContext {
  readonly user: { readonly id: string };
}
const run = vi.fn(async () => ({ user: { id: "db" } }));
const guarded = factory.addMiddleware({ handler: run });
const ctx: AppContext = { user: { id: "fake" } };

describe("a context given by a test", () => {
  test("is that of the handler, and no middleware runs, whatever its kind", async () => {
    const around = vi.fn();
    const native = vi.fn();
    const endpoint = guarded
      .addMiddleware({ input: z.object({ key: z.string() }), handler: run })
      .addMiddleware({ headers: z.object({ "x-key": z.string() }), around })
      .use(native)
      .build({ handler: async (args) => ({ seen: args.ctx }) });
    const { responseMock } = await testEndpoint({ endpoint, ctx });
    expect(responseMock._getJSONData()).toEqual({ status: "success", data: { seen: ctx } });
    for (const one of [run, around, native]) expect(one).not.toHaveBeenCalled();
  });

  test("does not replace the validation of the input and the output", async () => {
    const endpoint = guarded.build({
      input: z.object({ n: z.coerce.number() }),
      output: z.object({ n: z.number().max(5) }),
      handler: async ({ input }) => input,
    });
    const statuses = [];
    for (const n of ["1", "x", "6"]) {
      const { responseMock } = await testEndpoint({
        endpoint,
        ctx,
        requestProps: { query: { n } },
      });
      statuses.push(responseMock._getStatusCode());
    }
    expect(statuses).toEqual([200, 400, 500]);
  });

  test("comes with the fields of the middlewares as the test gives them, also if the input is strict", async () => {
    const endpoint = guarded
      .addMiddleware({
        input: z.object({ page: z.coerce.number(), all: z.string() }),
        handler: run,
      })
      .build({ input: z.strictObject({ q: z.string() }), handler: async ({ input }) => input });
    const { responseMock } = await testEndpoint({
      ...{ endpoint, ctx, requestProps: { query: { page: 2, q: "a" } } },
    });
    expect(responseMock._getJSONData()).toMatchObject({ data: { page: 2, q: "a" } });
  });

  test("leaves the errors that middlewares declare, the mappings of errors, and the options of the endpoint", async () => {
    const endpoint = guarded
      .addMiddleware({
        errors: { soldOut: { status: 409, description: "Sold out" } },
        handler: () => undefined,
      })
      .onError({
        handler: ({ error }) =>
          error.message === "mapped" ? createHttpError(418, "Mapped") : undefined,
      })
      .build({
        deprecated: { since: "2020-01-01" },
        input: z.object({ fails: z.boolean() }),
        handler: async ({ input, errors }) => {
          throw input.fails ? new Error("mapped") : errors.soldOut();
        },
      });
    const test = async (fails: boolean) => {
      const { responseMock } = await testEndpoint({
        ...{ endpoint, ctx, requestProps: { query: { fails } } },
      });
      return responseMock;
    };
    const mapped = await test(true);
    expect([mapped._getStatusCode(), mapped._getHeaders()["deprecation"]]).toEqual([
      ...[418, "@1577836800"],
    ]);
    expect((await test(false))._getStatusCode()).toBe(409);
  });

  test("must be an object", async () => {
    const endpoint = guarded.build({ handler: async () => ({}) });
    await expect(testEndpoint({ endpoint, ctx: "user" as never })).rejects.toThrow(
      "testEndpoint: `ctx` must be an object",
    );
  });
});
