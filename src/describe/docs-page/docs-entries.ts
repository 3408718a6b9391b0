import { createHash } from "node:crypto";
import { defaults } from "../../basics/defaults.ts";
import type { Request } from "../../basics/http/express-objects.ts";
import { defaultEndpointsFactory } from "../../define/endpoint/endpoints-factory.ts";
import type { HandlerArguments } from "../../define/endpoint/handler-arguments.ts";
import { RequestError } from "../../basics/errors.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import { getMessageFromError } from "../../wire/reply/http-error.ts";
import type { DocumentedConfig } from "../api/operation.ts";
import { writeDocument } from "../openapi/generate-openapi.ts";
import type { OpenApiDocument, OpenApiServer } from "../openapi/options.ts";
import { toYaml } from "../openapi/to-yaml.ts";
import type { EndpointEntry } from "../../define/routing/walk-routing.ts";
import { toDocumentOptions, type DocsOptions } from "./docs-options.ts";
import { findUserInterface, type UserInterface } from "./user-interfaces.ts";

interface Content {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/**
 * Lists the routes of a documentation page, of its files, and of its document.
 *
 * @throws ConfigError when the package of the page is not installed.
 */
export const listDocsEntries = (
  entries: readonly EndpointEntry[],
  config: DocumentedConfig,
  options: DocsOptions,
  logger: Logger,
): readonly EndpointEntry[] => {
  const ui = findUserInterface(options.ui);
  const documented = { config, ...toDocumentOptions(options) };
  let document: OpenApiDocument | undefined;
  const getDocument = (): OpenApiDocument => (document ??= writeDocument(entries, documented));
  const contents = new Map<string, Content>();
  const prepare = (name: string, type: string, write: () => Buffer | string): Content => {
    const content = contents.get(name) ?? toContent(`${type}; charset=utf-8`, write());
    contents.set(name, content);
    return content;
  };
  const policy = toPolicy(ui, options.servers);
  const path = toPath(options.path);
  const { factory = defaultEndpointsFactory, access } = options;
  const toEntry = (below: string, find: (args: Arguments) => Content): EndpointEntry => {
    const handler = (args: Arguments): void => send(args, find(args));
    return {
      method: "get",
      path: (path === "/" ? below : path + below) || "/",
      endpoint: factory.buildVoid({ access, handler: handler as () => void }),
    };
  };
  const mounted = new Map<string, Content & { readonly baseUrl: string }>();
  const toDocumentEntry = (format: string, write: (document: object) => string): EndpointEntry =>
    toEntry(`/openapi.${format}`, ({ request: { baseUrl } }) => {
      const type = `application/${format}`;
      if (baseUrl === "" || options.servers)
        return prepare(format, type, () => write(getDocument()));
      // a mounted API learns its path from each request, and is usually mounted once
      if (mounted.get(format)?.baseUrl !== baseUrl) {
        const text = write({ ...getDocument(), servers: [{ url: baseUrl }] });
        mounted.set(format, { ...toContent(`${type}; charset=utf-8`, text), baseUrl });
      }
      return mounted.get(format) as Content;
    });
  logger.info(`Serving the documentation at ${path}`);
  if (process.env["NODE_ENV"] !== "production") warnEarly(getDocument, logger);
  return [
    toEntry("", ({ request, response }) => {
      const { title } = getDocument().info as { readonly title: string };
      response.setHeader("Content-Security-Policy", policy);
      response.setHeader("Referrer-Policy", "no-referrer");
      return toContent("text/html; charset=utf-8", toPage(title, toBase(request), ui));
    }),
    toDocumentEntry("json", (document) => JSON.stringify(document)),
    toDocumentEntry("yaml", toYaml),
    toEntry("/assets/:file", ({ request }) => {
      const name = String(request.params["file"]);
      const read = ui.files.get(name);
      if (!read) throw new RequestError("SLP_NOT_FOUND");
      return prepare(name, name.endsWith(".css") ? "text/css" : "text/javascript", read);
    }),
  ];
};

type Arguments = HandlerArguments<object, object>;

const toContent = (type: string, body: string | Buffer): Content => {
  const bytes = Buffer.from(body as string);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`;
  return { type, bytes, etag };
};

const toPath = (path: string = defaults.docs.path): string =>
  `/${path.split("/").filter(Boolean).join("/")}`;

/** Returns the path of the page relative to its URL, because a proxy in front may have another path than the server. */
const toBase = ({ originalUrl }: Request): string => {
  const [path = ""] = originalUrl.split("?", 1);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name === "" ? "." : `./${name}`;
};

/** Sends bytes; Express sends a 304 to clients that already have them. */
const send = ({ response }: Arguments, { type, bytes, etag }: Content): void => {
  response.setHeader("ETag", etag);
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Content-Type", type);
  response.send(bytes);
};

/** Warns developers about errors in the documentation once the server listens. */
const warnEarly = (write: () => OpenApiDocument, logger: Logger): void => {
  setImmediate(() => {
    try {
      write();
    } catch (error) {
      logger.warn(
        `SLP_WARN_DOCS_DOCUMENT: the API cannot be documented, so requests for its document get a 500: ${getMessageFromError(error)}`,
      );
    }
  }).unref();
};

/** @param base the path of the page, relative to its URL */
const toPage = (title: string, base: string, { files }: UserInterface): string => {
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
