import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ServeStatic } from "sallyport";
import { createClient } from "sallyport/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { apiKey } from "../fixtures/users-api/src/factories.ts";
import { routing as usersRouting } from "../fixtures/users-api/src/routing.ts";
import { start } from "../http/harness.ts";
import {
  closePages,
  ensureChromium,
  installationTime,
  openPage,
  quitChromium,
  serve,
} from "./chromium.ts";
import { ensureBuilt } from "./harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const web = `${root}example/web`;
const routing = { ...usersRouting, "": new ServeStatic(`${web}/dist`) };

/** Installs the page's dependencies from its lock file, and builds the page. */
const buildPage = (): void => {
  ensureBuilt();
  const run = (command: string, ...args: readonly string[]): void =>
    void execFileSync(command, args, {
      cwd: web,
      stdio: "inherit",
      env: { ...process.env, NODE_ENV: "production" },
    });
  if (!existsSync(`${web}/node_modules/.package-lock.json`))
    // not `npm ci`, which rejects a lock file that lacks another system's optional packages
    run(
      "npm",
      "install",
      "--include=dev",
      "--no-save",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
    );
  run(process.execPath, `${root}node_modules/typescript/bin/tsc`);
  run(process.execPath, "node_modules/vite/bin/vite.js", "build", "--sourcemap");
};

beforeAll(async () => {
  buildPage();
  await ensureChromium();
}, installationTime);
afterEach(async () => {
  const hosts = await closePages();
  expect(["127.0.0.1", "localhost"]).toEqual(expect.arrayContaining(hosts));
});
afterAll(quitChromium);

/** The properties of an `img` element that the test reads. */
interface Picture {
  readonly naturalWidth: number;
  readonly decode: () => Promise<void>;
}

/** Creates a PNG of more than a hundred kilobytes. */
const drawPicture = async (): Promise<Buffer> => {
  const page = await openPage(
    await serve(
      "<style>html { background: conic-gradient(#2457d6, #ff7a59, #ffd166, #2457d6) }</style>",
    ),
  );
  await page.setViewportSize({ width: 1200, height: 1200 });
  return page.screenshot();
};

test("the example's page lists, creates and edits users, uploads pictures, and shows changes made by others", async () => {
  const { port } = await start(routing, { cors: false, upload: true });
  const page = await openPage("about:blank");
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`http://127.0.0.1:${port}/`);
  const rows = page.locator("tbody tr");
  const alerts = page.getByRole("alert");
  const activity = page.getByLabel("Activity").locator("li");
  await page.getByText("There are no users yet.").waitFor();

  // errors are shown next to their field
  await page.getByLabel("E-mail").fill("ada");
  await page.getByRole("button", { name: "Create" }).click();
  const errorOf = (label: string) =>
    page.locator(".field").filter({ hasText: label }).getByRole("alert");
  await errorOf("Name").waitFor();
  expect(await errorOf("Name").textContent()).toContain("Too small");
  expect(await errorOf("E-mail").textContent()).toBe("Invalid email address");
  expect(await alerts.count()).toBe(2);

  // a user is created, and the stream reports it
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Role").selectOption("admin");
  await page.getByRole("button", { name: "Create" }).click();
  await rows.filter({ hasText: "ada@example.com" }).waitFor();
  await activity.getByText("Ada Lovelace was saved").waitFor();
  expect(await alerts.count()).toBe(0);

  // the error for an address that is taken is also shown next to its field
  await page.getByLabel("Name").fill("Another");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByRole("button", { name: "Create" }).click();
  await errorOf("E-mail").waitFor();
  expect(await errorOf("E-mail").textContent()).toBe("This address is taken");

  // changes by others arrive on the event stream
  const other = createClient<typeof routing>({
    baseUrl: `http://127.0.0.1:${port}`,
    headers: { "x-api-key": apiKey },
  });
  for (const name of [
    "Grace Hopper",
    "Alan Turing",
    "Edsger Dijkstra",
    "Barbara Liskov",
    "Tony Hoare",
    "Donald Knuth",
  ]) {
    const [first = ""] = name.toLowerCase().split(" ");
    await other.provide("post /v1/users", { name, email: `${first}@example.com` });
  }
  await activity.getByText("Donald Knuth was saved").waitFor();
  await page.getByText("Page 1 of 2").waitFor();
  expect(await rows.count()).toBe(5);

  // the list has several pages
  await page.getByRole("button", { name: "Next" }).click();
  await rows.filter({ hasText: "Donald Knuth" }).waitFor();
  expect(await rows.count()).toBe(2);
  expect(await page.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Previous" }).click();

  // a user is edited
  const grace = rows.filter({ hasText: "grace@example.com" });
  await grace.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name").fill("Rear Admiral Hopper");
  await page.getByRole("button", { name: "Save" }).click();
  await grace.getByText("Rear Admiral Hopper").waitFor();

  // a picture: the API rejects a text file, then accepts a picture over a slow connection
  await grace.getByRole("button", { name: "Edit" }).click();
  const input = page.locator("input[type=file]");
  await input.setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
  await page.getByText("Choose a PNG").waitFor();
  const session = await page.context().newCDPSession(page);
  const line = { offline: false, latency: 0, downloadThroughput: -1 };
  await session.send("Network.emulateNetworkConditions", { ...line, uploadThroughput: 150_000 });
  const buffer = await drawPicture();
  expect(buffer.length).toBeGreaterThan(100_000);
  await input.setInputFiles({ name: "grace.png", mimeType: "image/png", buffer });
  await page.locator('progress[value^="0."]').waitFor();
  const picture = page.getByAltText("Picture of Rear Admiral Hopper");
  await picture.waitFor();
  const width = await picture.evaluate(async (image: Picture) => {
    await image.decode();
    return image.naturalWidth;
  });
  expect(width).toBe(1200);

  const screenshot = process.env["SALLYPORT_SCREENSHOT"];
  if (screenshot !== undefined) {
    await page.setViewportSize({ width: 1180, height: 760 });
    await rows.first().getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("E-mail").fill("ada");
    await page.getByRole("button", { name: "Save" }).click();
    await errorOf("E-mail").waitFor();
    await page.screenshot({ path: screenshot });
  }

  // a user is deleted
  await rows.filter({ hasText: "ada@example.com" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("Page 1 of 2").waitFor();
  await activity.getByText("was deleted").waitFor();
  expect(complaints).toEqual([]);
}, 120_000);

/** Returns the source files from which a file was built, as paths relative to the root of the repository. */
const listSources = (file: string): readonly string[] => {
  const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8")) as {
    readonly sources: readonly string[];
  };
  return sources.flatMap((source) => {
    const path = resolve(dirname(file), source);
    // for a built file of the package, lists the modules from which it was built
    return path.startsWith(`${root}dist/`) ? listSources(path) : [path.slice(root.length)];
  });
};

test("the page's bundle contains nothing from the server or Zod", () => {
  const assets = `${web}/dist/assets`;
  const script = readdirSync(assets).find((name) => name.endsWith(".js"));
  /** The packages and the directories of this repository whose code is in the bundle. */
  const origins = new Set(
    listSources(`${assets}/${script}`).map(
      (source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? dirname(source),
    ),
  );
  expect(origins).toEqual(
    new Set([
      "@tanstack/query-core",
      "@tanstack/react-query",
      "example/web/src",
      "react",
      "react-dom",
      "scheduler",
      "src/client",
      "src/tanstack-query",
    ]),
  );
});
