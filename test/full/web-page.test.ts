import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "playwright-core";
import { createClient } from "sallyport/client";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
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
import {
  administrator,
  button,
  findFlaws,
  hasFocus,
  heading,
  link,
  startPageShop,
  status,
  type PageShop,
} from "./shop-page.ts";

const paymentSecret = randomUUID();

/** The ids of the payments that the shop has asked for. */
const charges: string[] = [];
let shop: PageShop;

/** A provider that is asked for payments, and takes them when the test says so. */
const provider = createServer((request, response) => {
  void (async () => {
    const chunks = (await request.toArray()) as Buffer[];
    charges.push((JSON.parse(Buffer.concat(chunks).toString()) as { payment: string }).payment);
    response.end();
  })();
});

/** Lets the provider report that a payment was made. */
const pay = async (payment = charges.at(-1)): Promise<void> => {
  const body = JSON.stringify({ payment, status: "succeeded" });
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", paymentSecret).update(`${time}.${body}`).digest("hex");
  const { status } = await fetch(`${shop.url}v2/payments/webhook`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-payment-signature": `t=${time},v1=${signature}`,
    },
    body,
  });
  expect(status).toBe(200);
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

describe.skipIf(!isChromiumPossible)("the shop's page (needs Chromium)", () => {
  beforeAll(async () => {
    await ensureChromium();
    await once(provider.listen(0, "127.0.0.1"), "listening");
    const { port } = provider.address() as AddressInfo;
    shop = await startPageShop({
      PAYMENT_URL: `http://127.0.0.1:${port}`,
      PAYMENT_SECRET: paymentSecret,
      CANCEL_TIME: "0",
    });
  }, installationTime);
  afterEach(async () => {
    const hosts = await closePages();
    expect(["127.0.0.1", "localhost", ""]).toEqual(expect.arrayContaining(hosts));
  });
  afterAll(async () => {
    await quitChromium();
    await shop.end();
    provider.close();
  });

  test("a customer opens an account, orders by keyboard alone, and sees in two tabs that the order is paid", async () => {
    const page = await openPage(shop.url);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.getByText("48 books").waitFor();
    await page.keyboard.press("Tab");
    expect(await hasFocus(link(page, "Skip to the content"))).toBe(true);
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
      description: /^Enter an e-mail address/,
    });
    await page.getByText("Use at least 10 characters").waitFor();
    expect(await hasFocus(email)).toBe(true);
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

    const tab = await openPage(`${shop.url}#/orders`, page);
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
      await page.goto(`${shop.url}#/`);
      await page.getByText("48 books").waitFor();
      await page.screenshot({ path: screenshot });
    }
    expect(complaints).toEqual([]);
  }, 180_000);

  test("a second attempt after a lost reply does not order twice", async () => {
    const page = await shop.openFor("/?q=dracula");
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
  }, 120_000);

  test("what has happened while the shop was restarted is seen, too", async () => {
    const page = await shop.openFor("/?q=persuasion");
    await page.getByRole("link", { name: "Persuasion" }).click();
    await button(page, "Put in the cart").click();
    await link(page, "Cart (1)").click();
    const before = charges.length;
    await button(page, /^Order and pay/).click();
    await status(page, "Waiting for payment").waitFor();
    await expect.poll(() => charges.length).toBeGreaterThan(before);
    const payment = charges.at(-1);
    await shop.stop();
    await shop.start();
    await pay(payment);
    await status(page, "Paid").waitFor({ timeout: 60_000 });
  }, 180_000);

  test("the administrator uploads a cover with progress, and hears of changes by others", async () => {
    const page = await shop.logIn(administrator, "/?q=middlemarch");
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
      baseUrl: shop.url.slice(0, -1),
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
    await page
      .getByRole("spinbutton", { name: "Stock", description: /^Enter a whole number/ })
      .waitFor();
    await page.getByLabel("Stock").fill("76");
    await save.click();
    await page.getByText("76 in stock").waitFor();
    expect(await findFlaws(page)).toEqual([]);
  }, 120_000);

  test("all books can be reached by scrolling, on a narrow screen and in the dark", async () => {
    const page = await shop.openFor("/");
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
    for (const place of ["/", "/cart", "/orders", "/account", "/how", "/log-in", "/nowhere"]) {
      await page.goto(`${shop.url}#${place}`);
      await page.locator("h1").waitFor();
      expect([place, await findFlaws(page)]).toEqual([place, []]);
    }
    await page.goto(`${shop.url}#/?category=Gothic&inStock=on`);
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
