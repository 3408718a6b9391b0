// Packages that serve an API of their own below one path.
import assert from "node:assert/strict";
import { ApolloServer } from "@apollo/server";
import { expressMiddleware } from "@as-integrations/express5";
import { initTRPC } from "@trpc/server";
import { createExpressMiddleware } from "@trpc/server/adapters/express";
import express from "express";
import { buildSchema } from "graphql";
import { createHandler } from "graphql-http/lib/use/express";
import { createYoga } from "graphql-yoga";
import swaggerUi from "swagger-ui-express";
import { z } from "zod";

const typeDefs = "type Query { hello(name: String!): String! }";
const query = 'query { hello(name: "Ada") }';
const hello = (name) => `Hello, ${name}`;

const provesQuery = async ({ post }) => {
  const answer = await post("/t", { query });
  assert.deepEqual(answer.json, { data: { hello: "Hello, Ada" } });
  const wrong = await post("/t", { query: "query { absent }" });
  assert.match(wrong.json.errors[0].message, /Cannot query field/);
};

const createTrpc = () => {
  const t = initTRPC.context().create();
  return createExpressMiddleware({
    router: t.router({
      hello: t.procedure.input(z.string()).query(({ input }) => hello(input)),
      add: t.procedure
        .input(z.object({ a: z.number() }))
        .mutation(({ input, ctx }) => input.a + ctx.plus),
    }),
    createContext: ({ req }) => ({ plus: Number(req.headers["x-plus"]) }),
  });
};

export const entries = [
  {
    name: "graphql-http",
    packages: ["graphql-http", "graphql"],
    effect: "responds to a valid query with data, and to an invalid query with errors",
    create: () => ({
      method: "post",
      layers: () => [
        createHandler({
          schema: buildSchema(typeDefs),
          rootValue: { hello: ({ name }) => hello(name) },
        }),
      ],
      prove: provesQuery,
    }),
  },
  {
    name: "graphql-yoga",
    packages: ["graphql-yoga", "graphql"],
    effect: "responds to a valid query with data, and to an invalid query with errors",
    create: async () => {
      const { createSchema } = await import("graphql-yoga");
      const resolvers = { Query: { hello: (_root, { name }) => hello(name) } };
      return {
        method: "post",
        layers: () => [
          createYoga({
            graphqlEndpoint: "/t",
            logging: false,
            schema: createSchema({ typeDefs, resolvers }),
          }),
        ],
        prove: provesQuery,
      };
    },
  },
  {
    name: "@apollo/server",
    packages: ["@apollo/server", "@as-integrations/express5"],
    effect: "responds to a valid query with data, and to an invalid query with errors",
    create: async () => {
      const server = new ApolloServer({
        typeDefs,
        resolvers: { Query: { hello: (_root, { name }) => hello(name) } },
      });
      await server.start();
      return {
        method: "post",
        layers: () => [express.json(), expressMiddleware(server)],
        prove: provesQuery,
        dispose: () => server.stop(),
      };
    },
  },
  {
    name: "@trpc/server",
    packages: ["@trpc/server"],
    effect: "serves a query, and a mutation with a body; responds to anything else with 404",
    create: () => ({
      method: ["get", "post"],
      path: "/trpc/*rest",
      layers: () => [["/trpc", createTrpc()]],
      prove: async ({ send, post }) => {
        const asked = await send(`/trpc/hello?input=${encodeURIComponent('"Ada"')}`);
        assert.deepEqual(asked.json, { result: { data: "Hello, Ada" } });
        const added = await post("/trpc/add", { a: 1 }, { headers: { "x-plus": "2" } });
        assert.deepEqual(added.json, { result: { data: 3 } });
        assert.equal((await send("/trpc/absent")).status, 404);
      },
    }),
  },
  {
    name: "swagger-ui-express",
    packages: ["swagger-ui-express"],
    effect: "serves the page, the style sheet and the document",
    create: () => {
      const document = { openapi: "3.0.3", info: { title: "Own title", version: "1" }, paths: {} };
      return {
        path: ["/docs", "/docs/*rest"],
        layers: () => [["/docs", ...swaggerUi.serve, swaggerUi.setup(document)]],
        prove: async ({ send }) => {
          const page = await send("/docs/");
          assert.match(page.text, /swagger-ui-bundle/);
          assert.match((await send("/docs/swagger-ui-init.js")).text, /Own title/);
          const { headers } = await send("/docs/swagger-ui.css");
          assert.match(headers.get("content-type"), /text\/css/);
        },
      };
    },
  },
];
