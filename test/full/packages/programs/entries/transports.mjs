// Packages that call the app without a socket, or with a socket of their own.
import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import inject from "light-my-request";
import serverless from "serverless-http";
import supertest from "supertest";

const echo = {
  method: ["get", "post"],
  handler: ({ request, response, input }) => {
    response.set("x-method", request.method);
    return { ...input };
  },
};

const toEvent = (method, query, body) => ({
  version: "2.0",
  rawPath: "/t",
  rawQueryString: query,
  headers: { host: "a.example", ...(body ? { "content-type": "application/json" } : {}) },
  requestContext: { http: { method, path: "/t", sourceIp: "192.0.2.1" } },
  ...(body ? { body: JSON.stringify(body) } : {}),
  isBase64Encoded: false,
});

/** Adds a body parser on plain Express; the framework has its own. */
const withParser = async (place) => {
  if (place !== "express") return echo;
  const { default: express } = await import("express");
  return { ...echo, layers: () => [express.json()] };
};

export const entries = [
  {
    name: "supertest",
    packages: ["supertest"],
    effect: "sends a GET and a POST with `supertest(app)`",
    create: async (place) => ({
      ...(await withParser(place)),
      prove: async (_client, { app }) => {
        const asked = await supertest(app).get("/t?a=1").expect(200).expect("x-method", "GET");
        assert.deepEqual(asked.body.data, { a: "1" });
        const posted = await supertest(app).post("/t").send({ b: 2 }).expect(200);
        assert.deepEqual(posted.body.data, { b: 2 });
      },
    }),
  },
  {
    name: "serverless-http",
    packages: ["serverless-http"],
    effect: "handles serverless events, with and without a body",
    create: async (place) => ({
      ...(await withParser(place)),
      prove: async (_client, { app }) => {
        const handle = serverless(app);
        const asked = await handle(toEvent("GET", "a=1"), {});
        assert.equal(asked.statusCode, 200);
        assert.equal(asked.headers["x-method"], "GET");
        assert.deepEqual(JSON.parse(asked.body).data, { a: "1" });
        const posted = await handle(toEvent("POST", "", { b: 2 }), {});
        assert.deepEqual(JSON.parse(posted.body).data, { b: 2 });
      },
    }),
  },
  {
    name: "light-my-request",
    packages: ["light-my-request"],
    effect: "sends a GET and a POST with `inject(app)`; Node's own classes are unchanged",
    isolated: true,
    create: async (place) => ({
      ...(await withParser(place)),
      prove: async (_client, { app }) => {
        const before = Object.getPrototypeOf(IncomingMessage.prototype);
        const asked = await inject(app, "/t?a=1");
        assert.deepEqual([asked.statusCode, asked.headers["x-method"]], [200, "GET"]);
        assert.deepEqual(asked.json().data, { a: "1" });
        const posted = await inject(app, { method: "POST", url: "/t", payload: { b: 2 } });
        assert.deepEqual(posted.json().data, { b: 2 });
        assert.equal(Object.getPrototypeOf(IncomingMessage.prototype), before);
      },
    }),
  },
];
