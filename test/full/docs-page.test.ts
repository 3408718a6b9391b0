import { once } from "node:events";
import { defaultEndpointsFactory, EventStreamFactory, type Routing } from "sallyport";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { start } from "../http/harness.ts";
import {
  closePages,
  ensureChromium,
  installationTime,
  openPage,
  quitChromium,
} from "./chromium.ts";
import { ensureScalar, scalarHome } from "./scalar.ts";

const routing = {
  v1: {
    users: defaultEndpointsFactory.build({
      tag: "users",
      shortDescription: "Counts users",
      input: z.object({ from: z.coerce.number().default(7) }),
      output: z.object({ answer: z.number() }),
      handler: ({ input }) => ({ answer: input.from * 6 }),
    }),
  },
};
/** A stream that sends one event, and ends when its client leaves. */
const createStream = () => {
  const left: boolean[] = [];
  const endpoint = new EventStreamFactory({ news: z.string() }).build({
    shortDescription: "Watches the news",
    handler: async ({ ctx: { emit }, signal }) => {
      await emit("news", "it rains");
      if (!signal.aborted) await once(signal, "abort");
      left.push(true);
    },
  });
  return { left, endpoint };
};
const info = { title: "Users of the test", version: "1.0.0" };

beforeAll(async () => {
  ensureScalar();
  await ensureChromium();
}, installationTime);
afterEach(async () => {
  vi.restoreAllMocks();
  await closePages();
});
afterAll(quitChromium);

/** Opens the page, and records its requests and its errors. */
const open = async (ui: "scalar" | "swagger", more: Routing = {}) => {
  vi.spyOn(process, "cwd").mockReturnValue(scalarHome);
  const { port } = await start({ ...routing, ...more }, { docs: { ui, info } });
  const page = await openPage("about:blank");
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  const origin = `http://127.0.0.1:${port}`;
  await page.goto(`${origin}/docs`);
  await page.getByText("Counts users").first().waitFor();
  return { page, asked, complaints, origin };
};

const isElsewhere = (url: string, origin: string): boolean =>
  !url.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(url);

test("Swagger UI lists the operations, sends a request, shows the response, and contacts no other host", async () => {
  const { page, asked, complaints, origin } = await open("swagger");
  expect(await page.title()).toBe(info.title);
  await page.getByText("Counts users").click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  await page.getByText('"answer": 42').first().waitFor();
  expect(asked).toContain(`${origin}/v1/users?from=7`);
  expect(asked.filter((url) => isElsewhere(url, origin))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("Swagger UI is dark if the system is", async () => {
  const { page } = await open("swagger");
  for (const [colorScheme, shown] of [
    ["dark", "html.dark-mode"],
    ["light", "html:not(.dark-mode)"],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(shown).waitFor();
  }
});

test("Scalar lists the operations, sends a request, shows the response, and contacts no other host", async () => {
  const { page, asked, complaints, origin } = await open("scalar");
  await page
    .getByRole("button", { name: /Test Request/ })
    .first()
    .click();
  await page.getByRole("button", { name: /^Send/ }).first().click();
  await vi.waitFor(
    () => expect(asked.some((url) => url.startsWith(`${origin}/v1/users`))).toBe(true),
    { timeout: 15_000 },
  );
  await page.getByText("42").first().waitFor();
  expect(asked.filter((url) => isElsewhere(url, origin))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("Scalar shows the events of a stream as they arrive, and ends it when asked to", async () => {
  const { left, endpoint } = createStream();
  const { page } = await open("scalar", { news: endpoint });
  await page
    .getByRole("button", { name: /Test Request.*\/news/ })
    .first()
    .click();
  await page.getByRole("button", { name: /^Send/ }).first().click();
  await page.getByText("it rains").first().waitFor();
  expect(left).toEqual([]);
  await page.getByRole("button", { name: "Cancel" }).first().click();
  await expect.poll(() => left).toEqual([true]);
});
