import type { Page } from "playwright-core";
import {
  defaultEndpointsFactory as factory,
  ez,
  type CorsFunction,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope, type TestServer } from "../http/harness.ts";
import {
  callFrom,
  closePages,
  ensureChromium,
  installationTime,
  openPage,
  quitChromium,
  serve,
  type Call,
} from "./chromium.ts";

const testTime = 60_000;

beforeAll(ensureChromium, installationTime);
afterAll(quitChromium);
afterEach(async () => {
  const hosts = await closePages();
  // no test contacts another machine
  expect(["127.0.0.1", "localhost"]).toEqual(expect.arrayContaining(hosts));
  vi.unstubAllEnvs();
});

/** The requests that the API has received. */
const requests: string[] = [];
beforeEach(() => {
  requests.length = 0;
});

const toJsonPost = (body: object, headers: Record<string, string> = {}): Call => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** Creates a POST request whose body has the given size, most of it spaces. */
const toLarge = (size: number): Call => ({ ...toJsonPost({ text: "x" }), size });

const routing: Routing = {
  notes: {
    get: factory.build({
      input: z.object({ count: z.coerce.number().default(2) }),
      output: z.object({ count: z.number() }),
      handler: async ({ input }) => input,
    }),
    post: factory.build({
      method: "post",
      input: z.object({ text: z.string() }),
      output: z.object({ text: z.string() }),
      handler: async ({ input }) => input,
    }),
  },
  crash: factory.build({
    handler: async () => {
      throw new Error("A secret");
    },
  }),
};

/** Starts the API, which records the requests it receives. */
const startApi = (routing: Routing, config: Partial<ServerConfig> = {}): Promise<TestServer> =>
  start(routing, {
    cors: true,
    accessLogger: ({ method, path }) => void requests.push(`${method} ${path}`),
    ...config,
  });

describe("if cors is true, a page from another origin", { timeout: testTime }, () => {
  let api = "";
  let page: Page;
  beforeEach(async () => {
    const { port } = await startApi(routing, { bodyLimit: 100_000 });
    api = `http://127.0.0.1:${port}`;
    page = await openPage(await serve());
  });

  test("reads the response to a simple GET, which needs no preflight", async () => {
    expect(await callFrom(page, `${api}/notes?count=3`)).toEqual({
      status: 200,
      body: successEnvelope({ count: 3 }),
    });
    expect(requests).toEqual(["GET /notes"]);
  });

  test("reads the response to a JSON POST, after a preflight", async () => {
    expect(await callFrom(page, `${api}/notes`, toJsonPost({ text: "Grüße" }))).toEqual({
      status: 200,
      body: successEnvelope({ text: "Grüße" }),
    });
    expect(requests).toEqual(["OPTIONS /notes", "POST /notes"]);
  });

  test("may send the Authorization header", async () => {
    const call = { headers: { Authorization: "Bearer token" } };
    expect(await callFrom(page, `${api}/notes`, call)).toMatchObject({ status: 200 });
    expect(requests).toEqual(["OPTIONS /notes", "GET /notes"]);
  });

  test("cannot send a header that is not allowed: the browser stops after the preflight", async () => {
    const call = { headers: { "X-Custom": "1" } };
    expect(await callFrom(page, `${api}/notes`, call)).toBe("nothing");
    expect(requests).toEqual(["OPTIONS /notes"]);
  });

  test("reads nothing if it sends credentials, because the allowed origin is *", async () => {
    expect(await callFrom(page, `${api}/notes`, { credentials: "include" })).toBe("nothing");
    expect(requests).toEqual(["GET /notes"]);
  });

  test.each<[string, string, Call, number, string]>([
    ["a path with a malformed escape", "/%zz", {}, 400, "Malformed path"],
    ["malformed JSON", "/notes", { ...toJsonPost({}), body: "{]" }, 400, "Invalid JSON"],
    ["an unknown path", "/absent", {}, 404, "Not Found"],
    ["a simple POST to a path without POST", "/crash", { method: "POST" }, 405, ""],
    ["a PUT, with its preflight, to a path without PUT", "/notes", { method: "PUT" }, 405, ""],
    ["a body just above the limit", "/notes", toLarge(100_001), 413, "Content Too Large"],
    ["a body of 20 times the limit", "/notes", toLarge(2_000_000), 413, "Content Too Large"],
    ["a body of 200 times the limit", "/notes", toLarge(20_000_000), 413, "Content Too Large"],
  ])(
    "reads the status and the message of the response to %s",
    async (_what, path, call, status, message) => {
      expect(await callFrom(page, `${api}${path}`, call)).toEqual({
        status,
        body: errorEnvelope(message || "Method Not Allowed"),
      });
    },
  );

  test.each([
    ["development", "A secret"],
    ["production", "Internal Server Error"],
  ])(
    "reads the status and the message of the response to a crash, in %s",
    async (environment, message) => {
      vi.stubEnv("NODE_ENV", environment);
      expect(await callFrom(page, `${api}/crash`)).toEqual({
        status: 500,
        body: errorEnvelope(message),
      });
    },
  );

  test.each<[string, string, Call, string]>([
    ["query", "/notes?count=many", {}, "count"],
    ["body", "/notes", toJsonPost({ text: 1 }), "text"],
  ])("reads the message about an invalid %s", async (_what, path, call, field) => {
    const seen = await callFrom(page, `${api}${path}`, call);
    expect(seen).toMatchObject({
      status: 400,
      body: {
        status: "error",
        error: { message: expect.stringContaining(field), issues: [{ path: [field] }] },
      },
    });
  });
});

describe("if a cors function allows one origin with its cookies", { timeout: testTime }, () => {
  const session = {
    login: factory.build({
      method: "post",
      input: z.object({ user: z.string() }),
      handler: async ({ input, response }) => {
        response.cookie("user", input.user, { httpOnly: true, sameSite: "lax" });
        return {};
      },
    }),
    me: factory.build({
      input: z.object({ user: z.string().optional() }),
      output: z.object({ user: z.string().optional() }),
      handler: async ({ input, logger }) => {
        logger.info(`user ${input.user}`);
        return input;
      },
    }),
  };
  const include = { credentials: "include" } as const;
  const ada = { status: 200, body: successEnvelope({ user: "ada" }) };

  /** Starts the API and opens a page, both at localhost: all ports of a host share cookies, but each is its own origin. */
  const begin = async (): Promise<{ api: string; page: Page; server: TestServer }> => {
    const origin = await serve();
    const cors: CorsFunction = ({ defaultHeaders, request }) =>
      request.get("Origin") === origin
        ? {
            ...defaultHeaders,
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Credentials": "true",
          }
        : {};
    const inputSources = { get: ["query", "cookies"] } as const;
    const server = await startApi(session, { cors, cookies: true, inputSources });
    return { api: `http://localhost:${server.port}`, page: await openPage(origin), server };
  };

  test("a page from that origin receives a cookie, sends it back, and reads the responses", async () => {
    const { api, page } = await begin();
    const login = { ...toJsonPost({ user: "ada" }), ...include };
    expect(await callFrom(page, `${api}/login`, login)).toEqual({
      status: 200,
      body: successEnvelope({}),
    });
    expect(await callFrom(page, `${api}/me`, include)).toEqual(ada);
    expect(await callFrom(page, `${api}/me`, { credentials: "omit" })).toEqual({
      status: 200,
      body: successEnvelope({}),
    });
    expect(requests).toEqual(["OPTIONS /login", "POST /login", "GET /me", "GET /me"]);
  });

  test("a page from another origin reads nothing, with or without the cookie, and its preflights fail", async () => {
    const { api, page, server } = await begin();
    const login = { ...toJsonPost({ user: "ada" }), ...include };
    expect(await callFrom(page, `${api}/login`, login)).toMatchObject({ status: 200 });
    const stranger = await openPage(await serve(), page);
    expect(await callFrom(stranger, `${api}/me`, include)).toBe("nothing");
    expect(await callFrom(stranger, `${api}/me`)).toBe("nothing");
    // the browser did send the cookie, and withheld only the response
    const lines = server.linesOf("info").map(({ message }) => message);
    expect(lines.slice(-2)).toEqual(["user ada", "user undefined"]);
    requests.length = 0;
    expect(await callFrom(stranger, `${api}/login`, login)).toBe("nothing");
    expect(requests).toEqual(["OPTIONS /login"]);
    expect(await callFrom(page, `${api}/me`, include)).toEqual(ada);
  });
});

describe("a form from another origin", { timeout: testTime }, () => {
  const up = factory.build({
    method: "post",
    input: z.object({ title: z.string(), file: ez.upload() }),
    output: z.object({ title: z.string(), name: z.string(), size: z.int(), text: z.string() }),
    handler: async ({ input: { title, file } }) => ({
      ...{ title, name: file.name, size: file.size, text: file.data.toString() },
    }),
  });

  test.each([
    ["a small file", "notes.txt", "One line\nand another"],
    ["a file with a name and content beyond ASCII", "Grüße 2 µ.txt", "Größe: 2 µm"],
    ["a file of several megabytes", "large.txt", "0123456789".repeat(300_000)],
    ["an empty file", "empty.txt", ""],
  ])("uploads a text field and %s", async (_what, name, text) => {
    const { port } = await startApi({ up }, { upload: true });
    const page = await openPage(
      await serve(`<form method="post" enctype="multipart/form-data" action="http://127.0.0.1:${port}/up">
        <input name="title"><input name="file" type="file"><button>Send</button></form>`),
    );
    await page.fill("input[name=title]", "Ein schöner Titel");
    const buffer = Buffer.from(text);
    await page.setInputFiles("input[name=file]", { name, mimeType: "text/plain", buffer });
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.url().endsWith("/up")),
      page.click("button"),
    ]);
    expect([response.status(), await response.json()]).toEqual([
      200,
      successEnvelope({ title: "Ein schöner Titel", name, size: buffer.length, text }),
    ]);
  });
});
