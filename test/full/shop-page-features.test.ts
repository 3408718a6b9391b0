import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumPossible, openPage } from "./chromium.ts";
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
    await page.getByText(/^Row \d+: price/).waitFor();
    await send(`${text}9789990009996,A New Book,Ada,Novel,,999,5\r\n`);
    await page.getByText(/^1 added, \d+ changed$/).waitFor();
    expect(await findFlaws(page)).toEqual([]);
    await page.goto(`${shop.url}#/?q=a+new+book`);
    await page.getByText("1 book", { exact: true }).waitFor();
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
    await page.reload();
    await button(page, "Revoke Reports").waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await button(page, "Revoke Reports").click();
    await page.getByText("There are no tokens").waitFor();
    expect(await useToken()).toBe(401);
  });

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
