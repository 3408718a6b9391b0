import { spawn, type ChildProcess } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { createClient } from "sallyport/client";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { routing } from "../../example/src/routing.ts";
import {
  closePages,
  ensureChromium,
  installationTime,
  isChromiumPossible,
  openPage,
  quitChromium,
  serve,
} from "./chromium.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const administrator = { email: "admin@shop.example", password: randomUUID() };
const paymentSecret = randomUUID();
const sessionSecret = randomUUID();

/** The ids of the payments that the shop has asked for. */
const charges: string[] = [];
let folder = "";
let shop: ChildProcess | undefined;
let url = "";

/** A provider that is asked for payments, and takes them when the test says so. */
const provider = createServer((request, response) => {
  void (async () => {
    const chunks = (await request.toArray()) as Buffer[];
    charges.push((JSON.parse(Buffer.concat(chunks).toString()) as { payment: string }).payment);
    response.end();
  })();
});

/** Runs what `npm start` runs, which builds the page; returns the URL once the page answers. */
const startShop = async (port: string): Promise<string> => {
  const { port: payments } = provider.address() as AddressInfo;
  const child = spawn(process.execPath, ["scripts/start.js"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      ...{ PORT: port, LOG_LEVEL: "error", DATA_FOLDER: folder },
      SESSION_SECRET: sessionSecret,
      ...{ ADMIN_EMAIL: administrator.email, ADMIN_PASSWORD: administrator.password },
      ...{ PAYMENT_URL: `http://127.0.0.1:${payments}`, PAYMENT_SECRET: paymentSecret },
    },
  });
  shop = child;
  for await (const line of createInterface(child.stdout)) {
    const [, origin] = /open at http:\/\/localhost(:\d+)/.exec(line) ?? [];
    if (origin === undefined) continue;
    child.stdout.resume();
    const found = `http://127.0.0.1${origin}/`;
    await vi.waitFor(async () => expect((await fetch(found)).status).toBe(200), 90_000);
    return found;
  }
  throw new Error("The shop has ended");
};

const stopShop = async (): Promise<void> => {
  if (!shop) return;
  const ended = once(shop, "close");
  shop.kill();
  await ended;
};

/** Lets the provider report that a payment was made. */
const pay = async (payment = charges.at(-1)): Promise<void> => {
  const body = JSON.stringify({ payment, status: "succeeded" });
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", paymentSecret).update(`${time}.${body}`).digest("hex");
  const { status } = await fetch(`${url}v2/payments/webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-payment-signature": `t=${time},v1=${signature}`,
    },
    body,
  });
  expect(status).toBe(200);
};

/** Opens an account, and a page with its session. */
const openFor = async (place: string): Promise<Page> => {
  const account = { email: `${randomUUID()}@example.com`, password: randomUUID() };
  await fetch(`${url}v2/accounts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...account, name: "Ada" }),
  });
  return logIn(account, place);
};

const logIn = async (account: typeof administrator, place: string): Promise<Page> => {
  const page = await openPage("about:blank");
  await page.context().request.post(`${url}v2/session`, { data: account });
  await page.goto(`${url}#${place}`);
  return page;
};

/** Presses Tab, or Shift and Tab, until an element has the focus, and fails if it never has. */
const tabTo = async (page: Page, element: Locator, key = "Tab"): Promise<void> => {
  await element.waitFor();
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    if (await element.evaluate((one) => one.matches(":focus-visible"))) return;
  }
  throw new Error(`${key} never reaches ${String(element)}`);
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
const findFlaws = (page: Page): Promise<string[]> =>
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

const heading = (page: Page, name: RegExp | string) => page.getByRole("heading", { name });
const button = (page: Page, name: RegExp | string) => page.getByRole("button", { name });
const link = (page: Page, name: RegExp | string) => page.getByRole("link", { name, exact: true });
const status = (page: Page, words: string) => page.locator(".status").getByText(words);

describe.skipIf(!isChromiumPossible)("the shop's page (needs Chromium)", () => {
  beforeAll(async () => {
    await ensureChromium();
    folder = mkdtempSync(join(tmpdir(), "shop-"));
    await once(provider.listen(0, "127.0.0.1"), "listening");
    url = await startShop("0");
  }, installationTime);
  afterEach(async () => {
    const hosts = await closePages();
    expect(["127.0.0.1", "localhost", ""]).toEqual(expect.arrayContaining(hosts));
  });
  afterAll(async () => {
    await quitChromium();
    await stopShop();
    provider.close();
    rmSync(folder, { recursive: true });
  });

  test("a customer opens an account, orders by keyboard alone, and sees in two tabs that the order is paid", async () => {
    const page = await openPage(url);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.getByText("48 books").waitFor();
    await page.keyboard.press("Tab");
    expect(await link(page, "Skip to the content").evaluate((one) => one.matches(":focus"))).toBe(
      true,
    );
    await tabTo(page, link(page, "Log in"));
    await page.keyboard.press("Enter");
    await tabTo(page, button(page, "Open an account"));
    await page.keyboard.press("Enter");

    // errors are beside their fields, and the first of them gets the focus
    await tabTo(page, page.getByLabel("Name"), "Shift+Tab");
    await page.keyboard.type("Ada");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ada");
    await page.keyboard.press("Tab");
    await page.keyboard.type("short");
    await page.keyboard.press("Enter");
    const email = page.getByRole("textbox", {
      name: "E-mail",
      description: "Invalid email address",
    });
    await page.getByText("Use at least 10 characters").waitFor();
    expect(await email.evaluate((one) => one.matches(":focus"))).toBe(true);
    expect(await page.locator('[aria-invalid="true"]').count()).toBe(2);
    expect(await findFlaws(page)).toEqual([]);
    await page.keyboard.press("End");
    await page.keyboard.type("@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type(" is not enough");
    await page.keyboard.press("Enter");
    await button(page, "Log out").waitFor();

    await heading(page, "Books").waitFor();
    await tabTo(page, page.getByLabel("Title or author"));
    await page.keyboard.type("emma");
    await page.getByText("1 book", { exact: true }).waitFor();
    await tabTo(page, page.getByRole("link", { name: "Emma" }));
    await page.keyboard.press("Enter");
    await tabTo(page, button(page, "Put in the cart"));
    await page.keyboard.press("Enter");
    await tabTo(page, link(page, "Cart (1)"), "Shift+Tab");
    await page.keyboard.press("Enter");
    await tabTo(page, button(page, /^Order and pay €/));
    await page.keyboard.press("Enter");
    await heading(page, /^Order /).waitFor();
    await status(page, "Waiting for payment").waitFor();

    const tab = await openPage(`${url}#/orders`, page);
    await status(tab, "Waiting for payment").waitFor();
    await expect.poll(() => charges.length).toBe(1);
    await pay();
    for (const one of [page, tab]) {
      await status(one, "Paid").waitFor();
      await one.getByRole("status", { name: "News of orders" }).getByText(": Paid").waitFor();
    }
    const screenshot = process.env["SALLYPORT_SCREENSHOT"];
    if (screenshot !== undefined) {
      await page.setViewportSize({ width: 1100, height: 760 });
      await page.goto(`${url}#/`);
      await page.getByText("48 books").waitFor();
      await page.screenshot({ path: screenshot });
    }
    expect(complaints).toEqual([]);
  }, 180_000);

  test("a second attempt after a lost reply does not order twice, and an order can be cancelled", async () => {
    const page = await openFor("/?q=dracula");
    await page.getByRole("link", { name: "Dracula" }).click();
    await page.getByLabel("Quantity").fill("2");
    await button(page, "Put in the cart").click();
    await link(page, "Cart (2)").click();
    const keys: (string | undefined)[] = [];
    // the API does its work, but its replies get lost
    await page.route(/\/v2\/(?:orders|cart)$/, async (route) => {
      const request = route.request();
      if (request.method() === "POST") keys.push(request.headers()["idempotency-key"]);
      await route.fetch();
      return route.abort();
    });
    const order = button(page, /^Order and pay/);
    await order.click();
    await page.getByText("nothing is ordered twice").waitFor();
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    await page.unrouteAll();
    await order.click();
    await heading(page, /^Order /).waitFor();
    await link(page, "Orders").click();
    // the page of the order, which shows the status too, is gone then
    await heading(page, "Orders").waitFor();
    await status(page, "Waiting for payment").waitFor();
    expect(await page.locator(".orders li").count()).toBe(1);
    await page.getByRole("link", { name: /^Order / }).click();
    await button(page, "Cancel the order").click();
    await status(page, "Cancelled").waitFor();
    expect(await findFlaws(page)).toEqual([]);
  }, 120_000);

  test("what has happened while the shop was restarted is seen, too", async () => {
    const page = await openFor("/?q=persuasion");
    await page.getByRole("link", { name: "Persuasion" }).click();
    await button(page, "Put in the cart").click();
    await link(page, "Cart (1)").click();
    const before = charges.length;
    await button(page, /^Order and pay/).click();
    await status(page, "Waiting for payment").waitFor();
    await expect.poll(() => charges.length).toBeGreaterThan(before);
    const payment = charges.at(-1);
    await stopShop();
    await startShop(new URL(url).port);
    await pay(payment);
    await status(page, "Paid").waitFor({ timeout: 60_000 });
  }, 180_000);

  test("the administrator uploads a cover with progress, and hears of changes by others", async () => {
    const page = await logIn(administrator, "/?q=middlemarch");
    await page.getByRole("link", { name: "Middlemarch" }).click();
    const id = page.url().split("/").at(-1) ?? "";
    const input = page.getByLabel("Cover", { exact: true });
    await input.setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
    await page.getByText("Choose a PNG").waitFor();
    const session = await page.context().newCDPSession(page);
    const line = { offline: false, latency: 0, downloadThroughput: -1 };
    await session.send("Network.emulateNetworkConditions", { ...line, uploadThroughput: 100_000 });
    const buffer = await drawPicture();
    expect(buffer.length).toBeGreaterThan(100_000);
    await input.setInputFiles({ name: "cover.png", mimeType: "image/png", buffer });
    await page.locator('progress[value^="0."]').waitFor();
    const cover = page.getByAltText("Cover of Middlemarch");
    await expect
      .poll(() => cover.evaluate((image: { readonly naturalWidth?: number }) => image.naturalWidth))
      .toBe(1200);

    // a cover of one's own does not stand in the way, but a change by somebody else does
    const save = button(page, "Save");
    await page.getByLabel("Price").fill("15.49");
    await save.click();
    await page.getByText("Saved").waitFor();
    const { cookies } = await page.context().storageState();
    const other = createClient<typeof routing>({
      baseUrl: url.slice(0, -1),
      headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") },
    });
    const { headers } = await other.request("get /admin/books/:id", { id });
    const etag = headers.get("etag") ?? "";
    await other.provide(
      "patch /admin/books/:id",
      { id, stock: 77 },
      { headers: { "if-match": etag } },
    );
    await page.getByLabel("Price").fill("1");
    await save.click();
    await page.getByText("Somebody else has changed this book").waitFor();
    await button(page, "Show the change").click();
    expect(await page.getByLabel("Stock").inputValue()).toBe("77");
    expect(await page.getByLabel("Price").inputValue()).toBe("15.49");
    await page.getByLabel("Stock").fill("-1");
    await save.click();
    await page.getByRole("spinbutton", { name: "Stock", description: /^Too small/ }).waitFor();
    await page.getByLabel("Stock").fill("76");
    await save.click();
    await page.getByText("76 in stock").waitFor();
    expect(await findFlaws(page)).toEqual([]);
  }, 120_000);

  test("all books can be reached by scrolling, on a narrow screen and in the dark", async () => {
    const page = await openFor("/");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 360, height: 740 });
    const books = page.locator(".books li");
    await books.first().waitFor();
    expect(await books.count()).toBeLessThan(48);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 5000);
        return books.count();
      })
      .toBe(48);
    expect(await button(page, "Show more books").count()).toBe(0);
    for (const place of ["/", "/cart", "/orders", "/log-in", "/nowhere"]) {
      await page.goto(`${url}#${place}`);
      await page.locator("h1").waitFor();
      expect([place, await findFlaws(page)]).toEqual([place, []]);
    }
    await page.goto(`${url}#/?category=Gothic&inStock=on`);
    await expect.poll(() => books.count()).toBeLessThan(5);
    expect(await page.getByLabel("Category").inputValue()).toBe("Gothic");
    await books.first().click();
    await button(page, "Put in the cart").click();
    await link(page, "Cart (1)").click();
    await button(page, /^Order and pay/).waitFor();
    expect(await findFlaws(page)).toEqual([]);
  }, 120_000);
});

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
