import { defaultEndpointsFactory as factory } from "sallyport";
import { describe, expect, test } from "vitest";
import { start } from "../harness.ts";

describe("H5: a response that Node refuses to send", () => {
  const trailer = { Trailer: "X-Sum" };
  const endpoints = {
    error: factory.build({
      handler: () => {
        throw Object.assign(new Error("slow"), { statusCode: 429, headers: trailer });
      },
    }),
    success: factory.build({
      handler: ({ response }) => {
        response.setHeader("Trailer", "X-Sum");
        return {};
      },
    }),
  };

  test.each([
    ["error", 429],
    ["success", 500],
  ] as const)("because of a trailer (%s) does not end the process", async (name, status) => {
    const server = await start(endpoints);
    const answer = await server.send(`/${name}`);
    expect([answer.status, answer.headers["trailer"]]).toEqual([status, undefined]);
  });

  test("ends the connection if the plain-text 500 cannot be sent either", async () => {
    const endpoint = factory.build({
      handler: ({ response }) => {
        response.end = () => {
          throw new Error("broken");
        };
        return {};
      },
    });
    const server = await start({ a: endpoint });
    await expect(server.send("/a")).rejects.toThrow("socket hang up");
    expect(server.linesOf("error").at(-1)?.message).toBe("Server fault");
  });
});
