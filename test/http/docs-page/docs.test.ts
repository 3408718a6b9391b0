import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import express from "express";
import createHttpError from "http-errors";
import {
  attachRouting,
  ConfigError,
  createConfig,
  defaultEndpointsFactory as factory,
  Middleware,
} from "sallyport";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { start } from "../harness.ts";

const users = factory.build({
  shortDescription: "Lists",
  output: z.object({}),
  handler: () => ({}),
});
const info = { title: "Users & more", version: "1.2.3" };
const docs = { ui: "swagger", info } as const;

const announced = "Serving the documentation at /docs";

describe("the documentation", () => {
  test("is announced in the log", async () => {
    const server = await start({ users }, { docs });
    expect(server.linesOf("info").map(({ message }) => message)).toContain(announced);
    const other = await start({ users }, { docs: { ...docs, path: "/api" } });
    expect(other.linesOf("info").map(({ message }) => message)).toContain(
      "Serving the documentation at /api",
    );
  });

  test("is a page that loads only files of this server", async () => {
    const server = await start({ users }, { docs });
    const page = await server.send("/docs");
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.text).toContain("<title>Users &#38; more</title>");
    const urls = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? "");
    expect(urls.filter((url) => !url.startsWith("./docs/assets/"))).toEqual(["data:,"]);
    for (const url of urls.filter((one) => one.startsWith(".")))
      expect((await server.send(url.slice(1))).status).toBe(200);
    expect((await server.send("/docs/assets/package.json")).status).toBe(404);
    expect((await server.send("/docs/assets/..%2Fpackage.json")).status).toBe(404);
  });

  test.each(["/api/v1/docs", "/api/v1/docs/"])(
    "loads its files behind a proxy that removes a part of the path: %s",
    async (path) => {
      const server = await start({ users }, { docs });
      const toUpstream = ({ pathname }: URL): string =>
        pathname.startsWith("/api/v1/") ? pathname.slice(7) : "/of-another-server";
      const page = new URL(path, "https://example.com");
      const { text } = await server.send(toUpstream(page));
      const urls = [...text.matchAll(/(?:src|data-document)="([^"]+)"/g)].map(
        ([, url]) => url ?? "",
      );
      expect(urls).toHaveLength(3);
      for (const url of urls) {
        const reply = await server.send(toUpstream(new URL(url, page)));
        expect([url, reply.status]).toEqual([url, 200]);
      }
    },
  );

  test("has its own policy behind a middleware that sets another", async () => {
    const server = await start(
      { users },
      {
        docs,
        beforeRouting: ({ app }) => {
          app.use((_request, response, next) => {
            response.setHeader("Content-Security-Policy", "script-src 'none'");
            next();
          });
        },
      },
    );
    const page = await server.send("/docs");
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    const other = await server.send("/users");
    expect(other.headers["content-security-policy"]).toBe("script-src 'none'");
  });

  test("of a mounted API names the path of the mount as its server", async () => {
    const app = express();
    const router = express.Router();
    app.use("/api", router);
    const logger = { level: "silent" } as const;
    attachRouting(createConfig({ app: router, cors: false, logger, docs }), { users });
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { port } = server.address() as { port: number };
      const response = await fetch(`http://127.0.0.1:${port}/api/docs/openapi.json`);
      expect(await response.json()).toMatchObject({ servers: [{ url: "/api" }] });
    } finally {
      server.close();
    }
  });

  test("includes the document as JSON and as YAML, without the documentation's own routes", async () => {
    const server = await start(
      { users },
      { docs: { ...docs, openapi: "3.0", servers: "https://a.b/v1" } },
    );
    const json = await server.send("/docs/openapi.json");
    expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(json.json()).toMatchObject({
      openapi: "3.0.4",
      info,
      servers: [{ url: "https://a.b/v1" }],
    });
    expect(Object.keys((json.json() as { paths: object }).paths)).toEqual(["/users"]);
    const yaml = await server.send("/docs/openapi.yaml");
    expect(yaml.headers["content-type"]).toBe("application/yaml; charset=utf-8");
    expect(parse(yaml.text)).toEqual(json.json());
    const { headers } = await server.send("/docs");
    expect(headers["content-security-policy"]).toContain("connect-src 'self' https://a.b;");
  });

  test("is sent again to a client only if it has changed", async () => {
    const server = await start({ users }, { docs });
    for (const path of [
      "/docs",
      "/docs/openapi.json",
      "/docs/openapi.yaml",
      "/docs/assets/init.js",
    ]) {
      const { headers, text } = await server.send(path);
      expect(headers["cache-control"]).toBe("no-cache");
      const { etag = "" } = headers;
      const again = await server.send(path, { headers: { "if-none-match": `W/"other", ${etag}` } });
      expect([again.status, again.text]).toEqual([304, ""]);
      const other = await server.send(path, { headers: { "if-none-match": '"other"' } });
      expect([other.status, other.text]).toEqual([200, text]);
      const head = await server.send(path, { method: "HEAD" });
      expect([head.status, head.text, head.headers["etag"]]).toEqual([200, "", etag]);
    }
  });

  test("is served at the configured path, with or without a trailing slash", async () => {
    const server = await start({ users }, { docs: { ...docs, path: "internal/api/" } });
    expect((await server.send("/docs")).status).toBe(404);
    const page = await server.send("/internal/api/");
    expect(page.text).toContain('data-document="./openapi.json"');
    const other = await server.send("/internal/api?a=/b/");
    expect(other.text).toContain('data-document="./api/openapi.json"');
    expect((await server.send("/internal/api/openapi.json")).status).toBe(200);
    const root = await start({ users }, { docs: { ...docs, path: "/" } });
    expect((await root.send("/")).text).toContain('data-document="./openapi.json"');
    expect((await root.send("/openapi.json")).status).toBe(200);
  });

  test("may consist of several documents", async () => {
    const server = await start(
      { users, "v2/users": users },
      {
        docs: [
          { ...docs, routes: ({ path }) => !path.startsWith("/v2") },
          { ui: "swagger", info: { ...info, title: "New" }, path: "/v2/docs", routes: "/v2" },
        ],
      },
    );
    for (const [path, title, route] of [
      ["/docs", "Users &#38; more", "/users"],
      ["/v2/docs", "New", "/v2/users"],
    ] as const) {
      expect((await server.send(path)).text).toContain(`<title>${title}</title>`);
      expect((await server.send(`${path}/assets/init.js`)).status).toBe(200);
      const document = (await server.send(`${path}/openapi.json`)).json() as { paths: object };
      expect(Object.keys(document.paths)).toEqual([route]);
    }
  });

  test("is behind the middlewares of a factory", async () => {
    const guard = new Middleware({
      handler: async ({ request }) => {
        if (request.get("authorization") !== "let-me-in") throw createHttpError(401, "Who?");
      },
    });
    const server = await start(
      { users },
      { docs: { ...docs, factory: factory.addMiddleware(guard) } },
    );
    const headers = { authorization: "let-me-in" };
    for (const path of [
      "/docs",
      "/docs/openapi.json",
      "/docs/openapi.yaml",
      "/docs/assets/init.js",
    ]) {
      expect((await server.send(path)).status).toBe(401);
      expect((await server.send(path, { headers })).status).toBe(200);
    }
  });

  test("takes its title from the package.json in the working directory", async () => {
    const server = await start({ users }, { docs: { ui: "swagger" } });
    expect((await server.send("/docs/openapi.json")).json()).toHaveProperty(
      "info.title",
      "sallyport",
    );
  });
});

describe("a schema that cannot be documented", () => {
  const broken = factory.build({ output: z.object({ n: z.bigint() }), handler: () => ({ n: 1n }) });

  test("causes a warning in development, and a 500 that names the route", async () => {
    const server = await start({ broken }, { docs });
    await expect
      .poll(() => server.lines.map(({ message }) => message).join("\n"))
      .toContain("SLP_WARN_DOCS_DOCUMENT");
    const answer = await server.send("/docs/openapi.json");
    expect(answer.status).toBe(500);
    expect(answer.text).toContain("response.data.n of GET /broken cannot be documented");
  });

  test("names the route in production, too", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const server = await start({ broken }, { docs: { ...docs, production: true } });
    const answer = await server.send("/docs/openapi.json");
    vi.unstubAllEnvs();
    expect([answer.status, answer.text.includes("GET /broken")]).toEqual([500, true]);
  });
});

describe("in production", () => {
  test("the documentation is served if that is enabled; otherwise, one log line says why it is not", async () => {
    vi.stubEnv("NODE_ENV", "production");
    const plain = await start({ users }, { docs });
    expect(plain.linesOf("info").map(({ message }) => message)).not.toContain(announced);
    const guarded = await start({ users }, { docs: { ...docs, factory } });
    const open = await start({ users }, { docs: { ...docs, production: true } });
    const closed = await start({ users }, { docs: { ...docs, factory, production: false } });
    const both = await start(
      { users },
      {
        docs: [
          { ...docs, path: "/a" },
          { ...docs, factory },
        ],
      },
    );
    const statuses = await Promise.all(
      [plain, guarded, open, closed, both].map(
        async (server) => (await server.send("/docs")).status,
      ),
    );
    vi.unstubAllEnvs();
    expect(statuses).toEqual([404, 200, 200, 404, 200]);
    const warnings = plain
      .linesOf("warn")
      .filter(({ message }) => message.startsWith("SLP_WARN_DOCS:"));
    expect(warnings).toHaveLength(1);
    expect(guarded.linesOf("warn")).toEqual([]);
  });
});

describe("the `docs` option", () => {
  test("causes an error at startup that names a missing package", async () => {
    const error = await start({ users }, { docs: { ui: "scalar" } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({
      code: "SLP_CONFIG_PEER",
      message:
        'The `docs` option needs the files of the package @scalar/api-reference, which is not installed where the server runs. Run: npm install @scalar/api-reference, or set `docs: { ui: "swagger" }`.',
    });
  });

  test("says in production that the package must not be in `devDependencies`", async () => {
    vi.stubEnv("NODE_ENV", "production");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(start({ users }, { docs: { ui: "scalar", production: true } })).rejects.toThrow(
      "is not installed where the server runs. Run: npm install --save-prod @scalar/api-reference, so that it is in `dependencies` and not in `devDependencies`, or set",
    );
  });

  test.each<[object, string]>([
    [{ docs: "yes" }, "docs"],
    [{ docs: { ui: "redoc" } }, "docs.ui"],
    [{ docs: { pth: "/a" } }, "docs.pth"],
    [{ docs: { openapi: "2.0" } }, "docs.openapi"],
    [{ docs: { factory: {} } }, "docs.factory"],
    [{ docs: { info: {} } }, "docs.info"],
    [{ docs: { routes: 5 } }, "docs.routes"],
    [{ docs: [true] }, "docs[0]"],
  ])("is validated: %j", async (config, option) => {
    await expect(start({ users }, config)).rejects.toThrow(option);
  });

  test("causes an error if the application has a route at the same path", async () => {
    await expect(start({ docs: users }, { docs })).rejects.toMatchObject({
      code: "SLP_ROUTING_DUPLICATE",
    });
  });
});

test("a server without documentation loads none of the code for it", () => {
  const program = fileURLToPath(new URL("loaded-modules-program.mjs", import.meta.url));
  const own =
    /\/src\/\w+\/(?:cli|client|docs-page|generate-client|openapi)\/|\/node_modules\/(?:swagger-ui-dist|yaml)\//;
  const listOfDocs = (...withDocs: readonly string[]): readonly string[] => {
    const options = { encoding: "utf8", env: { ...process.env, NODE_ENV: "development" } } as const;
    const { stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", program, ...withDocs],
      options,
    );
    const loaded = stderr.split("\n").filter((line) => line.startsWith("loaded "));
    expect(loaded.length).toBeGreaterThan(100);
    return loaded.filter((line) => own.test(line));
  };
  expect(listOfDocs()).toEqual([]);
  expect(listOfDocs("with docs").length).toBeGreaterThan(10);
}, 60_000);
