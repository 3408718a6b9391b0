import type { NextFunction, Request, Response } from "express";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, type ServerConfig } from "sallyport";
import { describe, expect, test } from "vitest";
import { errorEnvelope, start } from "../harness.ts";

type Native = (request: Request, response: Response, next: NextFunction) => void;
type Place = (native: Native) => Parameters<typeof start>;

const handler = () => ({});
const hook = (beforeRouting: ServerConfig["beforeRouting"]): Parameters<typeof start> => [
  { item: factory.build({ handler }) },
  { beforeRouting },
];

const places: [string, Place][] = [
  ["a factory", (native) => [{ item: factory.use(native).build({ handler }) }]],
  ["a hook", (native) => hook(({ app }) => app.use(native))],
];

describe.each(places)("the error of a native middleware in %s", (_name, place) => {
  const ask = async (native: Native) => {
    const server = await start(...place(native));
    const answer = await server.send("/item");
    return [answer.status, answer.json()];
  };
  const denied = new Error("denied");

  test.each([403, 503])("has the status %i of the response if it has none", async (status) => {
    expect(
      await ask((_request, response, next) => {
        response.statusCode = status;
        next(denied);
      }),
    ).toEqual([status, errorEnvelope("denied")]);
    expect(denied).not.toHaveProperty("status");
  });

  test("keeps a status of its own", async () => {
    const teapot = createHttpError(418, "short");
    expect(await ask((_request, response, next) => next(response.status(403) && teapot))).toEqual([
      418,
      errorEnvelope("short"),
    ]);
  });

  test("is a fault if the status of the response is not that of an error", async () => {
    expect(await ask((_request, response, next) => next(response.status(302) && denied))).toEqual([
      500,
      errorEnvelope("denied"),
    ]);
  });
});

test("a transformer receives an error before it takes the status of the response", async () => {
  const native: Native = (_request, response, next) => next(response.status(403) && new Error("a"));
  const transformer = (error: Error) => createHttpError(401, error.message);
  const server = await start({ item: factory.use(native, { transformer }).build({ handler }) });
  expect((await server.send("/item")).status).toBe(401);
});
