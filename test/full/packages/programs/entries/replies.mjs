// Packages that change the response, or send it themselves.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import apicache from "apicache";
import compression from "compression";
import ejs from "ejs";
import mung from "express-mung";
import serveFavicon from "serve-favicon";
import serveStatic from "serve-static";

const createFolder = (name, content) => {
  const folder = mkdtempSync(join(tmpdir(), "packages-"));
  writeFileSync(join(folder, name), content);
  return { folder, dispose: () => rmSync(folder, { recursive: true }) };
};

export const entries = [
  {
    name: "compression",
    packages: ["compression"],
    effect: "compresses a large response with gzip",
    create: () => ({
      layers: () => [compression()],
      handler: () => ({ text: "x".repeat(5000) }),
      prove: async ({ send }) => {
        const headers = { "accept-encoding": "gzip" };
        const { data, headers: sent } = await send("/t", { headers });
        assert.equal(sent.get("content-encoding"), "gzip");
        assert.equal(data.text.length, 5000);
        const plain = await send("/t", { headers: { "accept-encoding": "identity" } });
        assert.equal(plain.headers.get("content-encoding"), null);
      },
    }),
  },
  {
    name: "express-mung",
    packages: ["express-mung"],
    effect: "changes the JSON and the headers of a response",
    create: () => ({
      layers: () => [
        mung.json((json) => ({ ...json, data: { ...json.data, isMunged: true } })),
        mung.headers((_request, response) => void response.setHeader("x-munged", "yes")),
      ],
      handler: () => ({ a: 1 }),
      prove: async ({ send }) => {
        const { data, headers } = await send("/t");
        assert.deepEqual(data, { a: 1, isMunged: true });
        assert.equal(headers.get("x-munged"), "yes");
      },
    }),
  },
  {
    name: "apicache",
    packages: ["apicache"],
    effect: "sends the second response from its cache",
    create: () => {
      let count = 0;
      return {
        layers: () => [apicache.newInstance().middleware("1 minute")],
        handler: () => ({ count: ++count }),
        prove: async ({ send }) => {
          for (const target of ["/t?a=1", "/t?a=1"])
            assert.deepEqual((await send(target)).data, { count: 1 });
          assert.deepEqual((await send("/t?a=2")).data, { count: 2 });
        },
      };
    },
  },
  {
    name: "serve-static",
    packages: ["serve-static"],
    effect: "sends a file, a part of it and a 304; calls the next handler if there is no file",
    create: () => {
      const { folder, dispose } = createFolder("a.txt", "a file");
      return {
        path: "/files/:name",
        layers: () => [["/files", serveStatic(folder)]],
        handler: ({ request }) => ({ missing: request.params.name }),
        prove: async ({ send }) => {
          const whole = await send("/files/a.txt");
          assert.deepEqual([whole.status, whole.text], [200, "a file"]);
          const part = await send("/files/a.txt", { headers: { range: "bytes=2-5" } });
          assert.deepEqual([part.status, part.text], [206, "file"]);
          // without `cache-control`, fetch would send `no-cache`, which prevents a 304
          const headers = {
            "if-none-match": whole.headers.get("etag"),
            "cache-control": "max-age=0",
          };
          assert.equal((await send("/files/a.txt", { headers })).status, 304);
          assert.deepEqual((await send("/files/b.txt")).data, { missing: "b.txt" });
        },
        dispose,
      };
    },
  },
  {
    name: "serve-favicon",
    packages: ["serve-favicon"],
    effect: "sends the icon from memory",
    create: () => ({
      path: "/favicon.ico",
      layers: () => [serveFavicon(Buffer.from("icon"))],
      prove: async ({ send }) => {
        const { text, headers } = await send("/favicon.ico");
        assert.equal(text, "icon");
        assert.equal(headers.get("content-type"), "image/x-icon");
      },
    }),
  },
  {
    name: "ejs",
    packages: ["ejs"],
    effect: "renders a page with `response.render` (set up on the app)",
    create: () => {
      const { folder, dispose } = createFolder("page.ejs", "<h1><%= title %></h1>");
      return {
        prepare: (app) => {
          app.set("views", folder);
          app.engine("ejs", ejs.renderFile);
          app.set("view engine", "ejs");
        },
        isVoid: true,
        handler: ({ response }) => void response.render("page", { title: "a & b" }),
        prove: async ({ send }) => {
          const { text, headers } = await send("/t");
          assert.equal(text, "<h1>a &amp; b</h1>");
          assert.match(headers.get("content-type"), /text\/html/);
        },
        dispose,
      };
    },
  },
];
