import { once } from "node:events";
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist/", import.meta.url));
const base = "/sallyport/";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".yaml": "application/yaml",
};

/** Returns the file that GitHub Pages would send for a path. */
const findFile = (path: string): string | undefined =>
  [path, `${path}index.html`, `${path}.html`]
    .map((name) => join(dist, name))
    .find((file) => existsSync(file) && statSync(file).isFile());

let server: Server | undefined;

/** Serves the built site as GitHub Pages does, and returns the URL of its landing page. */
export const serveSite = async (): Promise<string> => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const file = pathname.startsWith(base) ? findFile(pathname.slice(base.length)) : undefined;
    const sent = file ?? join(dist, "404.html");
    response.statusCode = file === undefined ? 404 : 200;
    response.setHeader("Content-Type", types[extname(sent)] ?? "text/plain");
    createReadStream(sent).pipe(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://localhost:${(server.address() as AddressInfo).port}${base}`;
};

export const stopSite = (): void => {
  server?.closeAllConnections();
  server?.close();
};

/** The paths of all pages, relative to the landing page, whose own is empty. */
export const listPages = (): readonly string[] =>
  readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".html") && name !== "404.html")
    .map((name) => name.replaceAll("\\", "/").replace(/(?:index)?\.html$/, ""));

/** Whether the site has a page or a file at a path. */
export const isServed = (pathname: string): boolean =>
  pathname.startsWith(base) && findFile(pathname.slice(base.length)) !== undefined;

/** Returns the HTML of a page. */
export const readPage = (path: string): string => readFileSync(findFile(path) ?? "", "utf8");
