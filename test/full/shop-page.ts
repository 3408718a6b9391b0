import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";
import {
  closePages,
  ensureChromium,
  installationTime,
  openPage,
  quitChromium,
} from "./chromium.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export const administrator = { email: "admin@shop.example", password: randomUUID() };

/** The shop with its page, which can be stopped and started again with the same data. */
export interface PageShop {
  /** With a slash at the end. */
  readonly url: string;
  /** Starts the shop, at the same port as before. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Deletes the data, too. */
  readonly end: () => Promise<void>;
  /** Opens a page with the session of an account. */
  readonly logIn: (account: typeof administrator, place: string) => Promise<Page>;
  /** Opens an account, and a page with its session. */
  readonly openFor: (place: string) => Promise<Page>;
}

/** Runs what `npm start` runs, which builds the page. */
export const startPageShop = async (
  variables: Readonly<Record<string, string>> = {},
): Promise<PageShop> => {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  const sessionSecret = randomUUID();
  let child: ChildProcess | undefined;
  const start = async (port = "0"): Promise<string> => {
    const started = spawn(process.execPath, ["scripts/start.js"], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        ...{ PORT: port, LOG_LEVEL: "info", DATA_FOLDER: folder, SESSION_SECRET: sessionSecret },
        ...{ ADMIN_EMAIL: administrator.email, ADMIN_PASSWORD: administrator.password },
        ...variables,
      },
    });
    child = started;
    for await (const line of createInterface(started.stdout)) {
      const [, origin] = /open at http:\/\/localhost(:\d+)/.exec(line) ?? [];
      if (origin === undefined) continue;
      started.stdout.resume();
      const found = `http://127.0.0.1${origin}/`;
      await vi.waitFor(async () => expect((await fetch(found)).status).toBe(200), 90_000);
      return found;
    }
    throw new Error("The shop has ended");
  };
  const stop = async (): Promise<void> => {
    if (!child) return;
    const ended = once(child, "close");
    child.kill();
    child = undefined;
    await ended;
  };
  const url = await start();
  const logIn = async (account: typeof administrator, place: string): Promise<Page> => {
    const page = await openPage("about:blank");
    await page.context().request.post(`${url}v2/session`, { data: account });
    await page.goto(`${url}#${place}`);
    return page;
  };
  return {
    url,
    stop,
    logIn,
    start: async () => void (await start(new URL(url).port)),
    end: async () => {
      await stop();
      rmSync(folder, { recursive: true });
    },
    openFor: async (place) => {
      const account = { email: `${randomUUID()}@example.com`, password: randomUUID() };
      await fetch(`${url}v2/accounts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...account, name: "Ada" }),
      });
      return logIn(account, place);
    },
  };
};

/** Starts the shop and the browser for the tests of a group, and ends both after them. */
export const usePageShop = (
  variables: Readonly<Record<string, string>>,
  use: (shop: PageShop) => void,
): void => {
  let shop: PageShop | undefined;
  beforeAll(async () => {
    await ensureChromium();
    shop = await startPageShop(variables);
    use(shop);
  }, installationTime);
  afterEach(closePages);
  afterAll(async () => {
    await quitChromium();
    await shop?.end();
  });
};

/** The properties of elements that run in the page. */
interface PageElement {
  readonly id: string;
  readonly outerHTML: string;
  readonly textContent: string;
  readonly labels?: ArrayLike<unknown>;
  readonly getAttribute: (name: string) => string | null;
}
declare const document: {
  readonly documentElement: { readonly scrollWidth: number };
  readonly querySelectorAll: (selector: string) => Iterable<PageElement>;
};
declare const innerWidth: number;

/** What assistive technology and narrow screens need of every screen. */
export const findFlaws = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const list = (selector: string) => [...document.querySelectorAll(selector)];
    const isNamed = (one: PageElement) =>
      Boolean(one.getAttribute("aria-label") ?? ((one.labels?.length ?? 0) > 0 || one.textContent));
    const ids = list("[id]").map(({ id }) => id);
    const references = list("[aria-describedby]").map((one) =>
      one.getAttribute("aria-describedby"),
    );
    return [
      ...list("input, select, button, a")
        .filter((one) => !isNamed(one))
        .map((one) => one.outerHTML),
      ...list("img:not([alt])").map((one) => one.outerHTML),
      ...ids.filter((id, index) => ids.indexOf(id) !== index),
      ...references.filter((id) => id !== null && !ids.includes(id)).map(String),
      ...(list("h1").length === 1 && list("main").length === 1 ? [] : ["not one h1 and one main"]),
      ...(document.documentElement.scrollWidth > innerWidth ? ["scrolls sideways"] : []),
    ];
  });

export const heading = (page: Page, name: RegExp | string): Locator =>
  page.getByRole("heading", { name });
export const button = (page: Page, name: RegExp | string): Locator =>
  page.getByRole("button", { name });
export const link = (page: Page, name: RegExp | string): Locator =>
  page.getByRole("link", { name, exact: true });
export const status = (page: Page, words: string): Locator =>
  page.locator(".status").getByText(words);

/** Tells whether an element has the focus. */
export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((one) => one.matches(":focus"));
