import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { isChromiumPossible, openPage } from "./chromium.ts";
import {
  administrator,
  button,
  findFlaws,
  hasFocus,
  heading,
  link,
  status,
  usePageShop,
  type PageShop,
} from "./shop-page.ts";

let shop: PageShop;

declare const scrollY: number;

/** Goes to a book from the search. */
const goToBook = async (page: Page, title: string): Promise<void> => {
  await page.goto(`${shop.url}#/?q=${encodeURIComponent(title)}`);
  await page.getByRole("link", { name: title }).first().click();
  await heading(page, title).waitFor();
};

const putInCart = async (page: Page, title: string): Promise<void> => {
  await goToBook(page, title);
  await button(page, "Put in the cart").click();
  await link(page, "cart").waitFor();
};

describe.skipIf(!isChromiumPossible)("people at the shop's page (needs Chromium)", () => {
  // nobody waits until a payment begins
  usePageShop({ CANCEL_TIME: "3600000" }, (started) => {
    shop = started;
  });

  test("an empty stock is not saved as 0, and Enter keeps the focus", async () => {
    const page = await shop.logIn(administrator, "/");
    await goToBook(page, "Jane Eyre");
    const stock = page.getByLabel("Stock");
    const before = Number(await stock.inputValue());
    await stock.fill("");
    await button(page, "Save").click();
    await page.getByText("Enter a whole number, 0 or more").waitFor();
    expect(await hasFocus(stock)).toBe(true);
    await stock.fill(String(before + 1));
    await stock.press("Enter");
    await page.getByText("Saved").waitFor();
    await page.getByText(`${before + 1} in stock`).waitFor();
    expect(await hasFocus(stock)).toBe(true);
    await page.reload();
    await page.getByText(`${before + 1} in stock`).waitFor();
  });

  test("Enter in the quantity of a book keeps the focus", async () => {
    const page = await shop.openFor("/");
    await goToBook(page, "Emma");
    const quantity = page.getByLabel("Quantity");
    await quantity.fill("2");
    await quantity.press("Enter");
    await page.getByText("2 in the cart").waitFor();
    expect(await hasFocus(quantity)).toBe(true);
  });

  test("a wrong quantity in the cart is explained, and not ordered", async () => {
    const page = await shop.openFor("/");
    await putInCart(page, "Dracula");
    await link(page, "cart").click();
    const quantity = page.getByLabel("Quantity of Dracula");
    for (const value of ["999", ""]) {
      await quantity.fill(value);
      await page.getByText(/^Enter a whole number from 1 to \d+$/).waitFor();
      expect(await quantity.getAttribute("aria-invalid")).toBe("true");
      await button(page, /^Order and pay/).click();
      expect(await hasFocus(quantity)).toBe(true);
      await heading(page, "Cart").waitFor();
    }
    await quantity.fill("2");
    await link(page, "Cart (2)").waitFor();
    expect(await page.getByText("Enter a whole number").count()).toBe(0);
  });

  test("people see how long an order can be cancelled, and cancel it", async () => {
    const page = await shop.openFor("/");
    await putInCart(page, "Persuasion");
    await link(page, "cart").click();
    await button(page, /^Order and pay/).click();
    await page
      .getByText(/^Payment begins in \d+ seconds\. Until then, you can cancel\.$/)
      .waitFor();
    await button(page, "Cancel the order").click();
    await status(page, "Cancelled").waitFor();
    expect(await button(page, "Cancel the order").count()).toBe(0);
    expect(await findFlaws(page)).toEqual([]);
  });

  test("customers read words for people, and not those of a validator", async () => {
    const page = await shop.logIn(administrator, "/");
    await goToBook(page, "Middlemarch");
    await page.getByLabel("Price").fill("0");
    await button(page, "Save").click();
    await page.getByText("Enter a price from €0.01 to €10,000").waitFor();
    // also if the API alone finds the flaw
    await page.route(/\/admin\/books\//, (route) =>
      route.continue({ postData: JSON.stringify({ price: 0 }) }),
    );
    await page.getByLabel("Price").fill("15");
    await button(page, "Save").click();
    await page.getByText("Enter a price from €0.01 to €10,000").waitFor();
    expect(await page.getByText("Too small").count()).toBe(0);
    await page.goto(`${shop.url}#/books/emma`);
    await heading(page, "Not found").waitFor();
    expect(await page.getByText("Invalid UUID").count()).toBe(0);
  });

  test("logging in from a book leads back to the book", async () => {
    const page = await openPage(shop.url);
    await goToBook(page, "Kidnapped");
    const address = page.url();
    for (const name of ["Log in to order", "Log in"]) {
      await link(page, name).click();
      await page.getByLabel("E-mail").fill(administrator.email);
      await page.getByLabel("Password").fill(administrator.password);
      await page.getByLabel("Password").press("Enter");
      await button(page, "Put in the cart").waitFor();
      expect(page.url()).toBe(address);
      await button(page, "Log out").click();
      await heading(page, "Books").waitFor();
      await page.goto(address);
    }
  });

  test("Back returns to the search and to where it was scrolled", async () => {
    const page = await openPage(shop.url);
    await page.setViewportSize({ width: 800, height: 500 });
    await page.getByLabel("Title or author").fill("e");
    await page.getByLabel("Sorted by").selectOption("-price");
    await page.waitForURL(/q=e&sort=-price/);
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 900);
        return page.locator(".books li").count();
      })
      .toBeGreaterThan(24);
    const books = page.locator(".books li a");
    const last = books.nth(20);
    await last.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => scrollY);
    expect(before).toBeGreaterThan(900);
    const name = await last.locator("strong").textContent();
    await last.click();
    await heading(page, name ?? "").waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await heading(page, "Books").waitFor();
    expect(await page.getByLabel("Title or author").inputValue()).toBe("e");
    expect(await page.getByLabel("Sorted by").inputValue()).toBe("-price");
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(before);
  });

  test("a search that has not begun does not pull people back from a book", async () => {
    const page = await openPage(shop.url);
    await page.clock.install();
    await page.getByText("48 books").waitFor();
    await page.getByLabel("Title or author").fill("emma");
    await page.locator(".books a").first().click();
    await page.locator(".book").waitFor();
    await page.clock.runFor(1000);
    expect(page.url()).toContain("#/books/");
  });

  test("a book that is sold out cannot be put in the cart", async () => {
    const admin = await shop.logIn(administrator, "/");
    await goToBook(admin, "Flatland");
    await admin.getByLabel("Stock").fill("0");
    await button(admin, "Save").click();
    await admin.getByText("Saved").waitFor();
    const page = await shop.openFor("/");
    await goToBook(page, "Flatland");
    await page.getByText("Sold out").waitFor();
    expect(await button(page, "Put in the cart").count()).toBe(0);
    expect(await page.getByLabel("Quantity").count()).toBe(0);
  });

  test("the cart fits a screen of 360 px, whatever it holds", async () => {
    const page = await shop.openFor("/");
    await page.setViewportSize({ width: 360, height: 740 });
    await putInCart(page, "Alice's Adventures in Wonderland");
    await link(page, "cart").click();
    const quantity = page.getByLabel(/^Quantity of/);
    for (const value of ["2", "999"]) {
      await quantity.fill(value);
      const order = button(page, /^Order and pay/);
      await order.waitFor();
      expect(await findFlaws(page)).toEqual([]);
      // within the sheet on which the table lies, too
      const [sheet, remove] = await Promise.all([
        page.locator("main section").boundingBox(),
        button(page, /^Remove/).boundingBox(),
      ]);
      expect((remove?.x ?? 0) + (remove?.width ?? 0)).toBeLessThan(
        (sheet?.x ?? 0) + (sheet?.width ?? 0),
      );
    }
  });

  test("an unknown address is not found, and asks nobody to log in", async () => {
    const page = await openPage(`${shop.url}#/nowhere`);
    for (const place of ["/nowhere", "/books", "/cart/1", "/orders/1/2", "/toString"]) {
      await page.goto(`${shop.url}#${place}`);
      await heading(page, "Not found").waitFor();
      expect([place, await page.getByLabel("Password").count()]).toEqual([place, 0]);
    }
    await page.goto(`${shop.url}#/orders/1`);
    await page.getByLabel("Password").waitFor();
  });

  test("the front page loads less than 110 kB of script, which browsers keep for good", async () => {
    const page = await openPage("about:blank");
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    let size = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => (size += encodedDataLength));
    const caching: (string | undefined)[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/assets/")) caching.push(response.headers()["cache-control"]);
    });
    await page.goto(shop.url);
    await page.getByText("48 books").waitFor();
    expect(size).toBeLessThan(110_000);
    expect(caching.length).toBeGreaterThan(1);
    expect(new Set(caching)).toEqual(new Set(["public, max-age=31536000, immutable"]));
    const { headers } = await fetch(shop.url);
    expect(headers.get("cache-control")).toBe("public, max-age=0");
  });
});
