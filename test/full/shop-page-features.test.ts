import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumPossible, openPage } from "./chromium.ts";
import { findViolations } from "./find-violations.ts";
import {
  administrator,
  button,
  findFlaws,
  heading,
  link,
  usePageShop,
  type PageShop,
} from "./shop-page.ts";

let shop: PageShop;

const books = (page: Page) => page.locator(".books li a");

interface StyledElement {
  readonly textContent: string;
  readonly children: ArrayLike<unknown>;
  readonly parentElement: StyledElement | null;
  readonly checkVisibility: () => boolean;
}
declare const document: {
  readonly querySelectorAll: (selector: string) => Iterable<StyledElement>;
};
declare const navigator: { readonly clipboard: { readonly readText: () => Promise<string> } };
declare const getComputedStyle: (element: StyledElement) => {
  readonly color: string;
  readonly backgroundColor: string;
  readonly backgroundImage: string;
};

/** Lists the texts whose contrast with what is behind them is below 4.5, which WCAG requires. */
const findFaintTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const toParts = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const toLight = (color: string) => {
      const [red = 0, green = 0, blue = 0] = toParts(color).map((part) => {
        const share = part / 255;
        return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    /** Returns the colour behind an element, or undefined for a picture. */
    const findBehind = (from: StyledElement): string | undefined => {
      for (let one: StyledElement | null = from; one; one = one.parentElement) {
        const { backgroundColor, backgroundImage } = getComputedStyle(one);
        if (backgroundImage !== "none" || backgroundColor.startsWith("color")) return undefined;
        if (toParts(backgroundColor)[3] !== 0) return backgroundColor;
      }
      return undefined;
    };
    return [...document.querySelectorAll("body *")]
      .filter((one) => one.children.length === 0 && one.textContent.trim() !== "")
      .filter((one) => one.checkVisibility())
      .filter((one) => {
        const behind = findBehind(one);
        if (behind === undefined) return false;
        const [a, b] = [toLight(getComputedStyle(one).color), toLight(behind)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
      })
      .map((one) => one.textContent);
  });

describe.skipIf(!isChromiumPossible)("what the shop's page can do (needs Chromium)", () => {
  // nobody waits until a payment begins
  usePageShop({ CANCEL_TIME: "3600000" }, (started) => {
    shop = started;
  });

  test("books stay while the shop is down, and the page recovers when it is back", async () => {
    const page = await openPage(shop.url);
    await page.getByText("48 books").waitFor();
    await page.getByLabel("Category").selectOption("Gothic");
    await page.waitForURL(/Gothic/);
    await shop.stop();
    await page.getByLabel("Title or author").fill("dracula");
    await page.getByText("The shop cannot be reached just now").waitFor();
    expect(await books(page).count()).toBeGreaterThan(0);
    await shop.start();
    await page.getByText("1 book", { exact: true }).waitFor();
    await expect.poll(() => page.getByText("The shop cannot be reached").count()).toBe(0);
  }, 120_000);

  test("a form says that the shop is down, and keeps what was typed", async () => {
    const page = await shop.openFor("/?q=emma");
    await books(page).first().click();
    await page.getByLabel("Quantity").fill("3");
    await page.route(/\/v2\//, (route) => route.abort());
    await button(page, "Put in the cart").click();
    await page.getByText("The shop cannot be reached. Try again in a moment.").waitFor();
    expect(await page.getByLabel("Quantity").inputValue()).toBe("3");
    await page.unrouteAll();
    await button(page, "Put in the cart").click();
    await page.getByText("3 in the cart").waitFor();
  });

  test("a visitor sees that books are being loaded", async () => {
    const page = await openPage("about:blank");
    let answer = (): void => undefined;
    const isWanted = new Promise<void>((resolve) => (answer = resolve));
    await page.route(/\/v2\/books/, async (route) => {
      await isWanted;
      return route.continue();
    });
    await page.goto(shop.url);
    await page.getByRole("status").getByText("Loading …").waitFor();
    expect(await page.locator(".outline").count()).toBe(6);
    answer();
    await page.getByText("48 books").waitFor();
    expect(await page.locator(".outline").count()).toBe(0);
  });

  test("books are sorted as chosen", async () => {
    const page = await openPage(shop.url);
    const readPrices = async () =>
      (await page.locator(".books .price").allTextContents()).map((text) =>
        Number(/[\d.]+/.exec(text)?.[0]),
      );
    for (const [sort, order] of [
      ["price", 1],
      ["-price", -1],
    ] as const) {
      await page.getByLabel("Sorted by").selectOption(sort);
      await page.waitForURL(new RegExp(`sort=${sort}$`));
      await page.locator('.books[aria-busy="false"]').waitFor();
      await expect
        .poll(async () => {
          const prices = await readPrices();
          return (
            prices.length >= 12 && prices.join() === prices.sort((a, b) => order * (a - b)).join()
          );
        })
        .toBe(true);
    }
  });

  test("the administrator exports books, and imports them changed", async () => {
    const page = await shop.logIn(administrator, "/admin");
    const download = page.waitForEvent("download");
    await link(page, "Download books.csv").click();
    const text = readFileSync(await (await download).path(), "utf8");
    expect(text).toContain("Middlemarch");
    const send = (content: string) =>
      page
        .getByLabel("Import")
        .setInputFiles({ name: "books.csv", mimeType: "text/csv", buffer: Buffer.from(content) });
    await send(text.replace(/("Middlemarch",.*,)\d+,\d+/, "$1-1,5"));
    await page.getByText("Nothing was changed, because rows are wrong").waitFor();
    await page.getByText(/^Row \d+: price: Give a whole number of cents/).waitFor();
    await send(`${text}9789990009996,A New Book,Ada,Novel,,999,5\r\n`);
    await page.getByText(/^1 added, \d+ changed$/).waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.goto(`${shop.url}#/?q=a+new+book`);
    await page.getByText("1 book", { exact: true }).waitFor();
  });

  test("the administrator adds a book, and sees the orders of customers", async () => {
    const page = await shop.logIn(administrator, "/admin");
    await button(page, "Add the book").click();
    await page.getByText("Enter 13 digits that begin with 978 or 979").waitFor();
    const fields = {
      Title: "A Found Book",
      Author: "Ada",
      ISBN: "9789990009989",
      Category: "Novel",
    };
    const more = { "Price in €": "9.99", Stock: "5", Description: "Found\nin a drawer." };
    const fill = async () => {
      for (const [label, value] of Object.entries({ ...fields, ...more }))
        await page.getByLabel(label, { exact: true }).fill(value);
      await button(page, "Add the book").click();
    };
    await fill();
    await link(page, "A Found Book").waitFor();
    await fill();
    await page.getByText("There is a book with this ISBN").waitFor();
    const customer = await shop.openFor("/?q=a+found+book");
    await books(customer).first().click();
    await customer.getByText("in a drawer").waitFor();
    await button(customer, "Put in the cart").click();
    await link(customer, "cart").click();
    await button(customer, /^Order and pay/).click();
    await heading(customer, /^Order/).waitFor();
    await page.reload();
    await page
      .locator(".orders li")
      .getByText(/^Ada, .+@example\.com$/)
      .first()
      .waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test("administration is for administrators", async () => {
    const page = await shop.openFor("/admin");
    await heading(page, "Not found").waitFor();
    expect(await link(page, "Administration").count()).toBe(0);
  });

  test("a customer creates a token, uses it and revokes it", async () => {
    const page = await shop.openFor("/account");
    await button(page, "Create a token").click();
    await page.getByText("Say what the token is for").waitFor();
    await page.getByLabel("What the token is for").fill("Reports");
    await button(page, "Create a token").click();
    const secret = (await page.locator(".secret").textContent()) ?? "";
    const useToken = async () =>
      (await fetch(`${shop.url}v2/me`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect(await useToken()).toBe(200);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Copy").click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
    await page.reload();
    await button(page, "Revoke Reports").waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await button(page, "Revoke Reports").click();
    await page.getByText("There are no tokens").waitFor();
    expect(await useToken()).toBe(401);
  });

  test("what the shop has declared is said as it is, and the rest in words for people", async () => {
    const page = await openPage(`${shop.url}#/log-in`);
    await page.getByLabel("E-mail").fill(administrator.email);
    await page.getByLabel("Password").fill("a wrong one");
    await button(page, "Log in").click();
    await page.getByText("The address or the password is wrong").waitFor();
    const unavailable = "A part of the shop is down: try again in a few seconds";
    for (const [status, error, said] of [
      [503, { message: unavailable, code: "unavailable" }, unavailable],
      [400, { message: "A number is too large" }, "A number is too large"],
      [429, { message: "Too Many Requests", code: "SLP_RATE_LIMITED" }, /^That was too often/],
      [500, { message: "Internal Server Error" }, /^Something has gone wrong in the shop/],
    ] as const) {
      await page.route(/session$/, (route) =>
        route.fulfill({ status, json: { status: "error", error } }),
      );
      await button(page, "Log in").click();
      await page.getByRole("alert").getByText(said).waitFor();
      await page.unrouteAll();
    }
  });

  test("a guest, also one who has just logged out, finds no error in the console", async () => {
    const page = await shop.openFor("/cart");
    await page.getByText("The cart is empty").waitFor();
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await button(page, "Log out").click();
    await link(page, "Log in").waitFor();
    for (const place of ["/", "/how", "/cart", "/orders", "/admin", "/log-in"]) {
      await page.goto("about:blank");
      await page.goto(`${shop.url}#${place}`);
      await page.locator("h1").waitFor();
      await page.waitForLoadState("networkidle");
    }
    expect(errors).toEqual([]);
  });

  test("an order in one tab is news in the other, whose cart and stock follow; the news closes", async () => {
    const page = await shop.openFor("/?q=frankenstein");
    await books(page).first().click();
    const stock = Number.parseInt(await page.getByText(/in stock$/).innerText(), 10);
    await button(page, "Put in the cart").click();
    await link(page, "Cart (1)").waitFor();
    const other = await openPage(`${shop.url}#/cart`, page);
    await button(other, /^Order and pay/).click();
    await page.getByText(/^Order .+: Waiting for payment$/).waitFor();
    await link(page, "Cart").waitFor();
    await page.getByText(`${stock - 1} in stock`).waitFor();
    await button(page, "Close the news").click();
    expect(await page.getByText("Waiting for payment").count()).toBe(0);
    expect(await button(page, "Close the news").count()).toBe(0);
    await button(other, "Cancel the order").click();
    await page.getByText(`${stock} in stock`).waitFor();
  });

  test.each([
    [1200, "light"],
    [390, "dark"],
  ] as const)(
    "no screen breaks a rule of axe at %i px, when it is %s",
    async (width, colorScheme) => {
      const page = await shop.logIn(administrator, "/how");
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.getByRole("log", { name: "Events" }).getByText("the stream is open").waitFor();
      expect(await findViolations(page)).toEqual([]);
      for (const place of ["/", "/admin", "/account", "/cart", "/orders", "/nowhere"]) {
        await page.goto(`${shop.url}#${place}`);
        await page.locator("h1").waitFor();
        await expect.poll(() => page.locator(".loading").count()).toBe(0);
        expect([place, await findViolations(page)]).toEqual([place, []]);
      }
      await button(page, "Log out").click();
      for (const place of ["/how", "/log-in"]) {
        await page.goto(`${shop.url}#${place}`);
        await page.locator("h1").waitFor();
        expect([place, await findViolations(page)]).toEqual([place, []]);
      }
    },
  );

  test("events that are missed while the connection is cut arrive once it is mended", async () => {
    const page = await shop.openFor("/how");
    const log = page.getByRole("log", { name: "Events" });
    const order = button(page, "Order a book and cancel it");
    await log.getByText("the stream is open").waitFor();
    await order.click();
    await log.getByText(": Cancelled (id").waitFor();
    const last = /id ([^)]+)/.exec(
      (await log.getByText(": Cancelled (id").textContent()) ?? "",
    )?.[1];
    await button(page, "Cut the connection").click();
    await order.click();
    await log.getByText("Two events are published").waitFor();
    expect(await log.getByText(": Cancelled (id").count()).toBe(1);
    const reopened = page.waitForRequest(
      (request) =>
        request.url().endsWith("/orders/events") && request.headers()["last-event-id"] === last,
    );
    await button(page, "Mend the connection").click();
    await reopened;
    await expect.poll(() => log.getByText(": Cancelled (id").count()).toBe(2);
    expect(await log.getByText(": Waiting for payment (id").count()).toBe(2);
    expect(await findFlaws(page)).toEqual([]);
  });

  test("one order that is sent twice is one order, and the cart is as it was", async () => {
    const page = await shop.openFor("/?q=dracula");
    await books(page).first().click();
    await button(page, "Put in the cart").click();
    await link(page, "Cart (1)").waitFor();
    await page.goto(`${shop.url}#/how`);
    await button(page, "Send one order twice").click();
    const log = page.getByRole("log", { name: "Retries" });
    await log.getByText("Your orders list 1 of it").waitFor();
    await log.getByText("the same reply replayed").waitFor();
    await link(page, "Orders").click();
    await page.locator(".orders .status").getByText("Cancelled").waitFor();
    expect(await page.locator(".orders li").count()).toBe(1);
    await link(page, "Cart (1)").click();
    await link(page, "Dracula").waitFor();
  });

  test("of two editors of a book, the second one gets a conflict instead of overwriting", async () => {
    const page = await shop.logIn(administrator, "/how");
    const [ada, grace] = ["Ada", "Grace"].map((name) =>
      page.getByLabel(`Stock, as ${name} sees it`),
    );
    await ada?.fill("31");
    await button(page, "Save for Ada").click();
    const log = page.getByRole("log", { name: "Changes" });
    await log.getByText(/^Ada: PATCH.* → 200/).waitFor();
    await grace?.fill("32");
    await button(page, "Save for Grace").click();
    await log.getByText(/^Grace: PATCH.* → 412/).waitFor();
    await button(page, "Read it again for Grace").click();
    await expect.poll(() => grace?.inputValue()).toBe("31");
    await grace?.fill("33");
    await button(page, "Save for Grace").click();
    await log.getByText(/^Grace: PATCH.* → 200/).waitFor();
  });

  test.each(["light", "dark"] as const)(
    "all text is legible when it is %s",
    async (colorScheme) => {
      const page = await shop.logIn(administrator, "/");
      await page.emulateMedia({ colorScheme });
      const [background] = /\d+/.exec(
        await page
          .locator(":root")
          .evaluate((root) => getComputedStyle(root as never).backgroundColor),
      ) as RegExpExecArray;
      expect(Number(background) < 60).toBe(colorScheme === "dark");
      for (const place of ["/", "/how", "/admin", "/account", "/cart", "/orders", "/nowhere"]) {
        await page.goto(`${shop.url}#${place}`);
        await page.locator("h1").waitFor();
        expect([place, await findFaintTexts(page)]).toEqual([place, []]);
      }
      await page.goto(`${shop.url}#/?q=emma`);
      await books(page).first().click();
      await page.getByLabel("Stock").fill("");
      await button(page, "Save").click();
      await page.getByText("Enter a whole number").waitFor();
      expect(await findFaintTexts(page)).toEqual([]);
    },
  );
});
