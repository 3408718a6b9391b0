// Packages that validate requests and responses.
import assert from "node:assert/strict";
import express from "express";
import OpenApiValidator from "express-openapi-validator";
import { body, matchedData, validationResult } from "express-validator";

const toSchema = (properties, required) => ({ type: "object", required, properties });

const apiSpec = {
  openapi: "3.0.3",
  info: { title: "One", version: "1" },
  paths: {
    "/t": {
      get: {
        parameters: [{ name: "age", in: "query", required: true, schema: { type: "integer" } }],
        responses: {
          200: {
            description: "the envelope",
            content: {
              "application/json": {
                schema: toSchema(
                  { data: toSchema({ age: { type: "integer", maximum: 120 } }, ["age"]) },
                  ["data"],
                ),
              },
            },
          },
        },
      },
      post: {
        requestBody: {
          content: {
            "application/json": { schema: toSchema({ name: { type: "string" } }, ["name"]) },
          },
        },
        responses: { 200: { description: "anything" } },
      },
    },
  },
};

const createValidator = (options) => () =>
  OpenApiValidator.middleware({ apiSpec: structuredClone(apiSpec), ...options });

export const entries = [
  {
    name: "express-validator",
    packages: ["express-validator"],
    effect: "checks and sanitises a body",
    create: () => ({
      method: "post",
      layers: () => [express.json(), body("email").trim().isEmail()],
      handler: ({ request, input }) => ({
        isGood: validationResult(request).isEmpty(),
        matched: matchedData(request),
        input: input.email,
      }),
      prove: async ({ post }) => {
        const good = await post("/t", { email: " a@b.example " });
        const email = "a@b.example";
        assert.deepEqual(good.data, { isGood: true, matched: { email }, input: email });
        assert.equal((await post("/t", { email: "none" })).data.isGood, false);
      },
    }),
  },
  {
    name: "express-openapi-validator, requests",
    packages: ["express-openapi-validator"],
    effect: "responds with 400 to a query or a body that violates the document; converts numbers",
    create: () => ({
      method: ["get", "post"],
      layers: () => [express.json(), ...createValidator({ validateResponses: false })()],
      handler: ({ request, input }) => ({ age: request.query.age ?? 1, input: input.name }),
      prove: async ({ send, post }) => {
        assert.equal((await send("/t?age=7")).data.age, 7);
        const refused = await send("/t?age=old");
        assert.equal(refused.status, 400);
        assert.match(refused.json.error.message, /query\/age must be integer/);
        assert.equal((await post("/t", { name: "Ada" })).data.input, "Ada");
        assert.equal((await post("/t", { name: 1 })).status, 400);
      },
    }),
  },
  {
    name: "express-openapi-validator, responses",
    packages: ["express-openapi-validator"],
    effect: "turns a response that violates the document into a 500",
    provokesFaults: true,
    create: () => ({
      layers: () => createValidator({ validateResponses: true })(),
      handler: ({ request }) => ({ age: Number(request.query.age) }),
      prove: async ({ send }) => {
        assert.deepEqual((await send("/t?age=7")).data, { age: 7 });
        const refused = await send("/t?age=500");
        assert.equal(refused.status, 500);
        assert.match(refused.json.error.message, /must be <= 120/);
      },
    }),
  },
];
