import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import type { CorsFunction } from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { start } from "../http/harness.ts";
import {
  closePages,
  ensureChromium,
  installationTime,
  openPage,
  quitChromium,
  serve,
} from "./chromium.ts";
import { routing } from "./client-platforms-routing.ts";
import { ensureHost } from "./hosts/ensure-hosts.ts";
import { ensureNodes } from "./node-versions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = fileURLToPath(new URL("client-platforms-program.ts", import.meta.url));
const cache = `${root}node_modules/.cache/client-platforms`;

const clients = {
  inferred: `${root}src/describe/client/index.ts`,
  generated: `${cache}/generated-client.ts`,
} as const;
type Kind = keyof typeof clients;

/** Bundles a client and the program that uses it into one file. */
const bundle = async (kind: Kind, start: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createClient } from ${JSON.stringify(clients[kind])}; import { drive } from ${JSON.stringify(program)}; ${start}`,
      resolveDir: root,
    },
    ...{ bundle: true, write: false, format: "esm", target: "es2022", platform: "browser" },
  });
  return outputFiles[0]?.text ?? "";
};

beforeAll(async () => {
  mkdirSync(cache, { recursive: true });
  ensureHost("Bun");
  ensureNodes();
  writeFileSync(clients.generated, generateClient({ routing }));
  for (const kind of ["inferred", "generated"] as const)
    writeFileSync(
      `${cache}/${kind}.mjs`,
      await bundle(
        kind,
        "console.log(JSON.stringify(await drive(createClient({ baseUrl: process.argv.at(-1) }))));",
      ),
    );
  await ensureChromium();
}, installationTime);
afterEach(closePages);
afterAll(quitChromium);

const expected = {
  unsendable: "UnsendableInputError",
  aborted: "AbortedError",
  late: "TimeoutError",
  away: "RedirectError",
  moved: { status: "success", data: { id: "7", tag: [] } },
  ids: ["1", "2", "3", "4", "5"],
  events: [1, 2, 3, 4, 5, 6, 7].map((number) => [number, String(number)]),
  refused: [false, 400, { status: "error", error: expect.objectContaining({}) as object }],
  user: { status: "success", data: { id: "ä/ö ?&#%", tag: ["x", "y"] } },
  created: { status: "success", data: { name: "Ada", bornOn: "1970-01-01T00:00:00.000Z" } },
  sent: { status: "success", data: { name: "a b.txt", type: "text/plain", text: "Grüße" } },
  more: true,
};

const startApi = async (): Promise<string> => {
  const cors: CorsFunction = ({ defaultHeaders }) => ({
    ...defaultHeaders,
    // a subscription from another origin resumes with the header Last-Event-ID
    "Access-Control-Allow-Headers": "Content-Type, Last-Event-ID",
  });
  const { port } = await start(routing, { cors, upload: true });
  return `http://127.0.0.1:${port}`;
};

describe.each<Kind>(["inferred", "generated"])("the %s client", (kind) => {
  const runtimes: readonly (readonly [string, () => readonly string[]])[] = [
    ...["20.19", "22", "24", "26"].map(
      (version) => [`Node.js ${version}`, () => [ensureNodes().get(version) ?? ""]] as const,
    ),
    ["Deno", () => [ensureHost("Deno"), "run", "--allow-net"]],
    ["Bun", () => [ensureHost("Bun")]],
  ];
  test.each(runtimes)(
    "works the same on %s",
    async (_name, command) => {
      const [program = "", ...args] = command();
      const all = [...args, `${cache}/${kind}.mjs`, await startApi()];
      const { stdout } = await promisify(execFile)(program, all, { timeout: 60_000 });
      expect(JSON.parse(stdout)).toEqual(expected);
    },
    60_000,
  );

  test("works the same in Chromium", async () => {
    const api = await startApi();
    const start = `globalThis.driven = drive(createClient({ baseUrl: ${JSON.stringify(api)} }));`;
    const page = await openPage(
      await serve(`<script type="module">${await bundle(kind, start)}</script>`),
    );
    const seen = await page.evaluate(
      () => (globalThis as unknown as { readonly driven: unknown }).driven,
    );
    expect(JSON.parse(JSON.stringify(seen))).toEqual(expected);
  }, 60_000);
});
