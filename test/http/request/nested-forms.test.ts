import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { attachRouting, createConfig, defaultEndpointsFactory as factory, ez } from "sallyport";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createRecorder, start } from "../harness.ts";

const save = factory.build({
  method: "post",
  input: z.looseObject({
    docs: z.array(ez.upload().transform(({ name }) => name)).optional(),
  }),
  handler: ({ input }) => input,
});
const fill = factory.build({
  method: "post",
  input: z.looseObject({}),
  handler: ({ input }) => input,
});
const routing = { save, fill };

const urlencoded = "user[name]=Ada&user[tags][]=a&user[tags][]=b&list[1]=y&list[0]=x";
const nested = { user: { name: "Ada", tags: ["a", "b"] }, list: ["x", "y"] };
const multipart = (): FormData => {
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(urlencoded)) form.append(name, value);
  return form;
};

const postTo = async (
  port: number,
  path: string,
  body: Blob | FormData | URLSearchParams,
): Promise<unknown> => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body });
  const { data, error } = (await reply.json()) as { readonly data?: object; error?: object };
  return data ?? error;
};

test("names with brackets are nested in every kind of form where queries are parsed so", async () => {
  const server = await start(routing, { queryParser: "extended", upload: true });
  const post = (path: string, body: Blob | FormData | URLSearchParams) =>
    postTo(server.port, path, body);
  expect(await post("/fill", new URLSearchParams(urlencoded))).toEqual(nested);
  expect(await post("/fill", multipart())).toEqual(nested);
  const form = multipart();
  form.append("docs[1]", new Blob(["b"]), "b.txt");
  form.append("docs[0]", new Blob(["a"]), "a.txt");
  expect(await post("/save", form)).toEqual({ ...nested, docs: ["a.txt", "b.txt"] });
  const json = new Blob(['{"a[b]":1}'], { type: "application/json" });
  expect(await post("/fill", json)).toEqual({ "a[b]": 1 });
});

test("a schema that refers to itself has no end, but a request for it has", async () => {
  interface Tree {
    readonly name: string;
    readonly children?: readonly Tree[] | undefined;
  }
  const tree: z.ZodType<Tree> = z.lazy(() =>
    z.object({ name: z.string(), children: z.array(tree).optional() }),
  );
  const grow = factory.build({
    method: "post",
    input: z.object({ tree }),
    handler: ({ input }) => input,
  });
  const server = await start({ grow }, { queryParser: "extended" });
  const body = new URLSearchParams("tree[name]=a&tree[children][0][name]=b");
  expect(await postTo(server.port, "/grow", body)).toEqual({
    tree: { name: "a", children: [{ name: "b" }] },
  });
});

test("a user's own application decides by its own query parser", async () => {
  const app = express().set("query parser", "extended");
  const { logger } = createRecorder();
  attachRouting(createConfig({ app, cors: false, logger }), routing);
  const server = createServer(app).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await postTo(port, "/fill", new URLSearchParams(urlencoded))).toEqual(nested);
});

test("with the simple parser, names stay as they are", async () => {
  const { port } = await start(routing);
  const body = new URLSearchParams("a[0]=1");
  expect(await postTo(port, "/fill", body)).toEqual({ "a[0]": "1" });
});

test("a forbidden, a contradictory or a deep name is refused with a 400", async () => {
  const { port } = await start(routing, { queryParser: "extended" });
  const messages = ["a[__proto__][b]=1", "a=1&a[b]=2", "a[b][c][d][e][f][g]=1"].map((body) =>
    postTo(port, "/fill", new URLSearchParams(body)),
  );
  expect(await Promise.all(messages)).toEqual(
    [
      ["Forbidden key in the body", "SLP_BODY_FORBIDDEN_KEY"],
      ["Malformed form", "SLP_BODY_MALFORMED_FORM"],
      ["Body nested too deeply", "SLP_BODY_TOO_DEEP"],
    ].map(([message, code]) => ({ message, code })),
  );
});
