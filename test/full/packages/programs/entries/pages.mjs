// Packages that serve the pages of a site.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("../../", import.meta.url));

const writeFiles = (folder, files) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};

/** Builds a minimal Next.js site once; the build is kept next to the packages. */
const buildSite = () => {
  const folder = join(home, "next-site");
  if (existsSync(join(folder, ".next/BUILD_ID"))) return folder;
  rmSync(folder, { recursive: true, force: true });
  writeFiles(folder, {
    "package.json": '{ "private": true }',
    // without JSX: Next.js does not compile files below node_modules
    "pages/index.js": `import { createElement } from "react";
export default () => createElement("h1", null, "Home of the site");`,
    "pages/users/[id].js": `import { createElement } from "react";
export default ({ id }) => createElement("p", null, "User " + id);
export const getServerSideProps = ({ params }) => ({ props: { id: params.id } });`,
    "pages/api/own.js":
      "export default (request, response) => response.json({ sent: request.body });",
  });
  const next = join(home, "node_modules/next/dist/bin/next");
  const { status, stdout, stderr } = spawnSync(process.execPath, [next, "build"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" },
  });
  if (status !== 0) throw new Error(`next build\n${stdout}\n${stderr}`);
  return folder;
};

export const entries = [
  {
    name: "vite",
    packages: ["vite"],
    effect: "serves a TypeScript module as JavaScript in middleware mode, alongside the API",
    isolated: true,
    create: async () => {
      const { createServer } = await import("vite");
      const folder = mkdtempSync(join(tmpdir(), "packages-"));
      writeFiles(folder, {
        "page.ts": "export const page: string = 'page';",
        "index.html": "<title>Own page</title>",
      });
      const vite = await createServer({
        root: folder,
        configFile: false,
        logLevel: "silent",
        server: { middlewareMode: true, hmr: false, ws: false, watch: null },
        appType: "spa",
      });
      return {
        path: ["/", "/t", "/*rest"],
        layers: () => [
          (request, response, next) =>
            request.path === "/t" ? next() : vite.middlewares(request, response, next),
        ],
        handler: () => ({ a: 1 }),
        prove: async ({ send }) => {
          const { text, headers } = await send("/page.ts");
          assert.match(text, /export const page = ["']page["']/);
          assert.match(headers.get("content-type"), /javascript/);
          const html = { accept: "text/html" };
          assert.match((await send("/", { headers: html })).text, /<title>Own page/);
          assert.deepEqual((await send("/t")).data, { a: 1 });
        },
        dispose: async () => {
          await vite.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  },
  {
    name: "next",
    packages: ["next", "react"],
    effect: "serves a page, a page with request data, and a route with a body, alongside the API",
    isolated: true,
    create: async () => {
      const { default: next } = await import("next");
      const site = next({ dev: false, dir: buildSite(), quiet: true });
      await site.prepare();
      const handle = site.getRequestHandler();
      return {
        method: ["get", "post"],
        path: ["/", "/t", "/*rest"],
        layers: () => [
          (request, response, next) => (request.path === "/t" ? next() : handle(request, response)),
        ],
        handler: () => ({ a: 1 }),
        prove: async ({ send, post }) => {
          assert.match((await send("/")).text, /<h1>Home of the site<\/h1>/);
          assert.match((await send("/users/7")).text, /<p>User (?:<!-- -->)?7<\/p>/);
          assert.deepEqual((await post("/api/own", { b: 2 })).json, { sent: { b: 2 } });
          assert.deepEqual((await send("/t")).data, { a: 1 });
        },
        dispose: () => site.close(),
      };
    },
  },
];
