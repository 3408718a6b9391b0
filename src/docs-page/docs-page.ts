import type { OpenApiServer } from "../openapi/options.ts";
import type { DocsOptions } from "./docs-options.ts";
import type { UserInterface } from "./user-interfaces.ts";

/** @param base the path of the page as the browser sees it */
export const toPage = (title: string, base: string, { files }: UserInterface): string => {
  const names = [...files.keys()];
  const toUrl = (name: string): string => escape(`${base}/assets/${name}`);
  const styles = names.filter((name) => name.endsWith(".css"));
  const scripts = names.filter((name) => name.endsWith(".js"));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="${toUrl(name)}">`).join("\n")}
</head>
<body data-document="${escape(`${base}/openapi.json`)}">
<div id="docs"></div>
${scripts.map((name) => `<script src="${toUrl(name)}"></script>`).join("\n")}
</body>
</html>
`;
};

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Returns the Content-Security-Policy of the page, which allows requests only to the hosts of the API's servers. */
export const toPolicy = (
  { styles }: UserInterface,
  servers: DocsOptions["servers"] = [],
): string => {
  const origins = [servers].flat().flatMap(listUrls).flatMap(toOrigin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src ${["'self'", ...new Set(origins)].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
};

/** Lists the URLs of a server, with the values of the variables in it: the listed ones, or the default. */
const listUrls = (server: string | OpenApiServer): readonly string[] => {
  if (typeof server === "string") return [server];
  let urls: readonly string[] = [server.url];
  for (const [name, { enum: values, default: usual }] of Object.entries(server.variables ?? {}))
    urls = urls.flatMap((url) =>
      url.includes(`{${name}}`)
        ? [values ?? usual].flat().map((value) => url.replaceAll(`{${name}}`, () => String(value)))
        : url,
    );
  return urls;
};

const toOrigin = (url: string): readonly string[] => {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const { origin } = new URL(url);
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? [origin] : [];
};
