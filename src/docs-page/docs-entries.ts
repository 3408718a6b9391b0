import type { Request } from "../http/express-objects.ts";
import { defaultEndpointsFactory } from "../endpoint/endpoints-factory.ts";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { RequestError } from "../errors.ts";
import type { Logger } from "../logger/logger.ts";
import { getMessageFromError } from "../reply/http-error.ts";
import type { DocumentedConfig } from "../api/operation.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import type { DocsOptions } from "./docs-options.ts";
import { toPage, toPolicy } from "./docs-page.ts";
import { DocumentTexts, toContent, type Content } from "./document-texts.ts";
import { findUserInterface } from "./user-interfaces.ts";

/** @throws ConfigError when the package of a page is not installed. */
export const listDocsEntries = (
  entries: readonly EndpointEntry[],
  config: DocumentedConfig,
  documents: readonly DocsOptions[],
  logger: Logger,
): readonly EndpointEntry[] =>
  documents.flatMap((options) => listEntries(entries, config, options, logger));

/** The files that have been read, by page and name. */
const assets = new Map<string, Content>();

const listEntries = (
  entries: readonly EndpointEntry[],
  config: DocumentedConfig,
  options: DocsOptions,
  logger: Logger,
): readonly EndpointEntry[] => {
  const ui = findUserInterface(options.ui);
  const texts = new DocumentTexts(entries, config, options);
  const policy = toPolicy(ui, options.servers);
  const path = toPath(options.path);
  const { factory = defaultEndpointsFactory } = options;
  const toEntry = (below: string, find: (args: Arguments) => Content): EndpointEntry => {
    const handler = (args: Arguments): void => send(args, find(args));
    return {
      kind: "endpoint",
      method: "get",
      path: (path === "/" ? below : path + below) || "/",
      endpoint: factory.buildVoid({ handler: handler as () => void }),
    };
  };
  logger.info(`Serving the documentation at ${path}`);
  if (process.env["NODE_ENV"] !== "production") warnEarly(texts, logger);
  return [
    toEntry("", ({ request, response }) => {
      const { title } = texts.document.info as { readonly title: string };
      response.setHeader("Content-Security-Policy", policy);
      response.setHeader("Referrer-Policy", "no-referrer");
      return toContent("text/html; charset=utf-8", toPage(title, toBase(request), ui));
    }),
    toEntry("/openapi.json", () => texts.find("json")),
    toEntry("/openapi.yaml", () => texts.find("yaml")),
    toEntry("/assets/:file", ({ request }) => {
      const name = String(request.params["file"]);
      const read = ui.files.get(name);
      if (!read) throw new RequestError("SLP_NOT_FOUND");
      const type = name.endsWith(".css") ? "css" : "javascript";
      const key = `${options.ui}/${name}`;
      const content = assets.get(key) ?? toContent(`text/${type}; charset=utf-8`, read());
      assets.set(key, content);
      return content;
    }),
  ];
};

type Arguments = HandlerArguments<object, object>;

const toPath = (path = "/docs"): string =>
  `/${path
    .split("/")
    .filter((segment) => segment !== "")
    .join("/")}`;

/** Returns the path of the page as it was requested, including the path at which the API is mounted. */
const toBase = ({ originalUrl }: Request): string => {
  const [path = ""] = originalUrl.split("?", 1);
  return path.endsWith("/") ? path.slice(0, -1) : path;
};

/** Sends bytes, or a 304 to clients that already have them. */
const send = ({ request, response }: Arguments, { type, bytes, etag }: Content): void => {
  response.setHeader("ETag", etag);
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("X-Content-Type-Options", "nosniff");
  const known = (request.headers["if-none-match"] ?? "").split(",");
  if (known.some((one) => [etag, `W/${etag}`, "*"].includes(one.trim()))) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader("Content-Type", type);
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
};

/** Warns developers about errors in the documentation once the server listens. */
const warnEarly = (texts: DocumentTexts, logger: Logger): void => {
  setImmediate(() => {
    try {
      void texts.document;
    } catch (error) {
      logger.warn(
        `SLP_WARN_DOCS_DOCUMENT: the API cannot be documented, so requests for its document get a 500: ${getMessageFromError(error)}`,
      );
    }
  }).unref();
};
