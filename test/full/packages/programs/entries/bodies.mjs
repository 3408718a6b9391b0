// Packages that read bodies.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import bodyParser from "body-parser";
import express from "express";
import fileUpload from "express-fileupload";
import formidable from "formidable";
import hpp from "hpp";
import { createProxyMiddleware } from "http-proxy-middleware";
import methodOverride from "method-override";
import multer from "multer";
import { listen } from "../places.mjs";

const toForm = () => {
  const form = new FormData();
  form.set("title", "mine");
  form.set("file", new Blob(["hello"], { type: "text/plain" }), "a.txt");
  return form;
};

const nested = new URLSearchParams({ "a[b]": "1" });

/** Creates an entry for the four parsers of body-parser. */
const createParsers = ({ json, urlencoded, text, raw }) => ({
  method: "post",
  layers: () => [json(), urlencoded({ extended: true }), text(), raw({ type: "image/png" })],
  handler: ({ request: { body } }) => ({
    body: Buffer.isBuffer(body) ? { bytes: body.length } : body,
  }),
  prove: async ({ post }) => {
    assert.deepEqual((await post("/t", { a: [1] })).data, { body: { a: [1] } });
    assert.deepEqual((await post("/t", nested)).data, { body: { a: { b: "1" } } });
    const texted = await post("/t", "plain", { headers: { "content-type": "text/plain" } });
    assert.deepEqual(texted.data, { body: "plain" });
    const png = await post("/t", Buffer.alloc(9), { headers: { "content-type": "image/png" } });
    assert.deepEqual(png.data, { body: { bytes: 9 } });
    const broken = await post("/t", "{", { headers: { "content-type": "application/json" } });
    assert.equal(broken.status, 400);
  },
});

export const entries = [
  {
    name: "body-parser",
    packages: ["body-parser"],
    effect: "parses JSON, nested forms, text and bytes; rejects malformed bodies with 400",
    create: () => createParsers(bodyParser),
  },
  {
    name: "express.json and the like",
    packages: ["express"],
    effect: "parses JSON, nested forms, text and bytes; rejects malformed bodies with 400",
    create: () => createParsers(express),
  },
  {
    name: "multer",
    packages: ["multer"],
    effect: "parses a file and a field of a multipart body; rejects a file over the limit",
    provokesFaults: true,
    create: () => ({
      method: "post",
      layers: () => [
        multer({ storage: multer.memoryStorage(), limits: { fileSize: 10 } }).single("file"),
      ],
      handler: ({ request, input }) => ({
        file: request.file?.buffer.toString(),
        title: request.body.title,
        input: input.title,
      }),
      prove: async ({ post }) => {
        const { data } = await post("/t", toForm());
        assert.deepEqual(data, { file: "hello", title: "mine", input: "mine" });
        const large = toForm();
        large.set("file", new Blob(["x".repeat(11)]), "b.txt");
        const refused = await post("/t", large);
        assert.match(refused.json.error.message, /File too large/);
      },
    }),
  },
  {
    name: "express-fileupload",
    packages: ["express-fileupload"],
    effect: "parses a file and a field of a multipart body",
    create: () => ({
      method: "post",
      layers: () => [fileUpload()],
      handler: ({ request }) => ({
        file: request.files.file.data.toString(),
        title: request.body.title,
      }),
      prove: async ({ post }) => {
        assert.deepEqual((await post("/t", toForm())).data, { file: "hello", title: "mine" });
      },
    }),
  },
  {
    name: "formidable",
    packages: ["formidable"],
    effect: "parses a field of a multipart body",
    create: () => ({
      method: "post",
      layers: () => [
        (request, _response, next) =>
          formidable({ allowEmptyFiles: false }).parse(request, (error, fields, files) => {
            request.form = { title: fields?.title?.[0], size: files?.file?.[0].size };
            next(error);
          }),
      ],
      handler: ({ request }) => request.form,
      prove: async ({ post }) => {
        const { data, text } = await post("/t", toForm());
        assert.deepEqual(data, { title: "mine", size: 5 }, text);
      },
    }),
  },
  {
    name: "hpp",
    packages: ["hpp"],
    effect: "keeps the last value of a repeated field",
    create: () => ({
      method: "post",
      layers: () => [express.urlencoded(), hpp({ checkQuery: false })],
      handler: ({ request, input }) => ({ body: request.body, input: input.a }),
      prove: async ({ post }) => {
        const { data } = await post("/t", new URLSearchParams("a=1&a=2"));
        assert.deepEqual(data, { body: { a: "2" }, input: "2" });
      },
    }),
  },
  {
    name: "method-override",
    packages: ["method-override"],
    effect: "turns a POST into a DELETE",
    notIn: {
      factory:
        "A request's route is looked up by its method before a factory's middlewares run; use a hook.",
    },
    create: () => ({
      method: "delete",
      layers: () => [methodOverride()],
      handler: ({ request }) => ({ method: request.method }),
      prove: async ({ post }) => {
        const headers = { "x-http-method-override": "DELETE" };
        assert.deepEqual((await post("/t", undefined, { headers })).data, { method: "DELETE" });
      },
    }),
  },
  {
    name: "http-proxy-middleware",
    packages: ["http-proxy-middleware"],
    effect: "forwards a JSON body to the upstream server, and returns its response",
    create: async () => {
      const upstream = createServer(async (request, response) => {
        let text = "";
        for await (const piece of request) text += piece;
        response.statusCode = 203;
        response.end(`${request.method} ${request.url} ${text}`);
      });
      const target = await listen(upstream);
      return {
        method: ["get", "post"],
        layers: () => [createProxyMiddleware({ target, changeOrigin: true })],
        prove: async ({ send, post }) => {
          const posted = await post("/t", { a: 1 });
          assert.deepEqual([posted.status, posted.text], [203, 'POST /t {"a":1}']);
          assert.equal((await send("/t?b=2")).text, "GET /t?b=2 ");
          const large = "x".repeat(300_000);
          const headers = { "content-type": "application/json" };
          assert.equal((await post("/t", large, { headers })).text.length, large.length + 8);
        },
        dispose: () => {
          upstream.closeAllConnections();
          upstream.close();
        },
      };
    },
  },
];
