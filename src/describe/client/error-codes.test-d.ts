import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  defaultEndpointsFactory as factory,
  EndpointsFactory,
  problemEndpointsFactory,
  ResultHandler,
  type ErrorEnvelope,
} from "../../index.ts";
import { createClient, ReplyError, type ErrorOf, type FrameworkErrorCode } from "./index.ts";

const left = z.object({ left: z.int() });
const errors = {
  409: { description: "Taken", schema: z.object({ by: z.string() }) },
  404: "No such account",
  wrongCode: { status: 400, description: "Wrong code", schema: left },
  gone: { status: 410, description: "Expired", schema: z.object({ at: z.date() }) },
  locked: { status: 423, description: "Locked" },
} as const;
const own = new EndpointsFactory(
  new ResultHandler({
    positive: (data) => z.object({ data }),
    negative: (data, _type, code) =>
      z.object({
        code: code === undefined ? z.string().optional() : z.literal(code),
        ...(data && { data }),
      }),
    handler: () => undefined,
  }),
);
const routing = {
  envelope: factory.build({ errors, handler: () => ({}) }),
  problem: problemEndpointsFactory.build({ errors, handler: () => ({}) }),
  own: own.build({ errors, handler: () => ({}) }),
  behind: factory
    .addMiddleware({ errors: { busy: errors.gone }, handler: () => ({}) })
    .build({ handler: () => ({}) }),
  unnamed: factory.build({ errors: { 409: errors[409] }, handler: () => ({}) }),
};
const client = () => createClient<typeof routing>({ baseUrl: "" });

describe("the code alone tells errors apart, and each has its data", () => {
  test("in the default envelope", () => {
    void (async () => {
      const body = await client().provide("get /envelope");
      if (body.status === "success") return;
      const { error } = body;
      switch (error.code) {
        case "wrongCode":
          expectTypeOf(error.data).toEqualTypeOf<{ left: number }>();
          break;
        case "gone":
          expectTypeOf(error.data).toEqualTypeOf<{ at: string }>();
          break;
        case "locked":
          expectTypeOf(error).not.toHaveProperty("data");
          break;
        case "SLP_INPUT_INVALID":
          expectTypeOf(error.issues).toEqualTypeOf<ErrorEnvelope["error"]["issues"]>();
          break;
        default:
          expectTypeOf(error.code).toEqualTypeOf<
            Exclude<FrameworkErrorCode, "SLP_INPUT_INVALID"> | undefined
          >();
      }
      // @ts-expect-error -- no error has this code
      void (error.code === "wrnogCode");
    });
  });

  test("in problem details, in a reply whose status nobody has looked at", () => {
    void (async () => {
      const reply = await client().request("get /problem");
      if (reply.ok || reply.status === "unexpected") return;
      switch (reply.body.code) {
        case "wrongCode":
          expectTypeOf(reply.body.data).toEqualTypeOf<{ left: number }>();
          break;
        case "gone":
          expectTypeOf(reply.body.data).toEqualTypeOf<{ at: string }>();
          break;
        case "SLP_BODY_TOO_LARGE":
          expectTypeOf(reply.body.detail).toEqualTypeOf<string>();
          break;
        default:
          expectTypeOf(reply.body.code).toEqualTypeOf<
            Exclude<FrameworkErrorCode, "SLP_BODY_TOO_LARGE"> | "locked" | undefined
          >();
      }
    });
  });

  test("if a middleware declares them, and in an error that TanStack Query throws", () => {
    void (async () => {
      const body = await client().provide("get /behind");
      if (body.status === "error" && body.error.code === "busy")
        expectTypeOf(body.error.data).toEqualTypeOf<{ at: string }>();
      const error = new Error("some") as ErrorOf<ReturnType<typeof client>, "get /envelope">;
      if (error instanceof ReplyError && error.body.error.code === "wrongCode")
        expectTypeOf(error.body.error.data.left).toBeNumber();
    });
  });
});

test("a status tells errors apart as before, with the data of those without a name", () => {
  void (async () => {
    const reply = await client().request("get /envelope");
    if (reply.status === 409) expectTypeOf(reply.body.error.data).toEqualTypeOf<{ by: string }>();
    if (reply.status === 410) expectTypeOf(reply.body.error.code).toEqualTypeOf<"gone">();
    if (reply.status === 404)
      expectTypeOf(reply.body.error.code).toEqualTypeOf<FrameworkErrorCode | undefined>();
    if (reply.status === "unexpected") expectTypeOf(reply.body).toBeUnknown();
  });
});

test("without a named error, and with a result handler of one's own, other codes are strings", () => {
  void (async () => {
    const unnamed = await client().provide("get /unnamed");
    if (unnamed.status === "error")
      expectTypeOf(unnamed.error.code).toEqualTypeOf<string | undefined>();
    const reply = await client().request("get /own");
    if (reply.status === 500) expectTypeOf(reply.body.code).toEqualTypeOf<string | undefined>();
    if (reply.status === 410) expectTypeOf(reply.body.code).toEqualTypeOf<"gone">();
  });
});
