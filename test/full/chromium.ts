import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { chromium, type Browser, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";
const installation = "apt-get update -qq && apt-get install -y -qq chromium";

/** Whether there is a Chromium, or this process may install it. */
export const isChromiumPossible: boolean = existsSync(executablePath) || process.getuid?.() === 0;

/** How long the installation and start of Chromium may take together, in milliseconds. */
export const installationTime = 600_000;

/** Installs Debian's Chromium if it is missing and the process may install it. */
const ensureInstalled = async (): Promise<void> => {
  if (existsSync(executablePath)) return;
  let reason = "only root can install it";
  if (process.getuid?.() === 0)
    reason = await promisify(execFile)("sh", ["-c", installation], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      timeout: installationTime - 60_000,
    }).then(
      () => "the installation did not bring it",
      (error: unknown) => String(error),
    );
  if (!existsSync(executablePath))
    throw new Error(
      `There is no ${executablePath}, which this test drives (${reason}). Install it as root: ${installation}`,
    );
};

let browser: Browser | undefined;

/** Starts a headless Chromium with its own profile; it can reach no host but this machine. */
export const ensureChromium = async (): Promise<void> => {
  await ensureInstalled();
  browser = await chromium.launch({
    executablePath,
    timeout: 30_000,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-proxy-server",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
    ],
  });
};

/** Closes the browser. */
export const quitChromium = async (): Promise<void> => {
  await browser?.close();
};

const sites = new Set<Server>();
const askedHosts = new Set<string>();

/** Closes all pages and the servers of their origins; returns the hosts that the pages contacted, successfully or not. */
export const closePages = async (): Promise<string[]> => {
  for (const context of browser?.contexts() ?? []) await context.close();
  for (const site of sites) {
    site.closeAllConnections();
    site.close();
  }
  sites.clear();
  const hosts = [...askedHosts];
  askedHosts.clear();
  return hosts;
};

/** Serves a page from its own origin, and returns that origin. */
export const serve = async (html = ""): Promise<string> => {
  const site = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>A page</title>${html}`);
  });
  sites.add(site);
  await once(site.listen(0, "127.0.0.1"), "listening");
  return `http://localhost:${(site.address() as AddressInfo).port}`;
};

/** Opens a page in a new profile without cookies, or in the profile of another page, with that page's cookies. */
export const openPage = async (url: string, nextTo?: Page): Promise<Page> => {
  const context = nextTo?.context() ?? (await browser?.newContext());
  if (!context) throw new Error("There is no browser");
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("request", (request) => askedHosts.add(new URL(request.url()).hostname));
  await page.goto(url);
  return page;
};

/** The request that a page sends. */
export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The size in bytes to which the body is padded with spaces. */
  readonly size?: number;
  readonly credentials?: "include" | "omit";
}

/** The part of a response that a page may read, or "nothing" if the browser withholds it. */
export type Seen = { readonly status: number; readonly body: unknown } | "nothing";

/** Makes a page call the API with its own `fetch`. */
export const callFrom = (page: Page, url: string, call: Call = {}): Promise<Seen> =>
  page.evaluate(
    async ([url, { body, size = 0, ...call }]) => {
      const whole = body === undefined ? {} : { body: body.padEnd(size) };
      const signal = AbortSignal.timeout(15_000);
      const response = await fetch(url, { ...call, ...whole, signal }).catch((error: unknown) => {
        // `fetch` rejects with a TypeError if the browser withholds the response; a timeout is another error
        if (error instanceof TypeError) return "nothing" as const;
        throw error;
      });
      if (response === "nothing") return response;
      return { status: response.status, body: await response.json() };
    },
    [url, call] as const,
  );
