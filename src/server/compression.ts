import { createRequire } from "node:module";
import type { Request, RequestHandler, Response } from "express";
import { ConfigError } from "../errors.ts";
import type { CompressionOptions } from "./config.ts";

type Compression = ((options: object) => RequestHandler) & {
  readonly filter: (request: Request, response: Response) => boolean;
};

const require = createRequire(import.meta.url);

/**
 * Makes the middleware that compresses responses.
 *
 * @throws {@link ConfigError} when the optional package is not installed.
 */
export const createCompression = (options: CompressionOptions): RequestHandler => {
  const compression = loadCompression();
  return compression({
    ...options,
    filter: (request: Request, response: Response) =>
      !isEventStream(response) &&
      // the size of a compressed secret beside reflected input tells the secret (BREACH)
      !response.hasHeader("Set-Cookie") &&
      compression.filter(request, response),
  });
};

const isEventStream = (response: Response): boolean =>
  String(response.getHeader("Content-Type")).startsWith("text/event-stream");

const loadCompression = (): Compression => {
  try {
    return require("compression") as Compression;
  } catch {
    throw new ConfigError(
      "SLP_CONFIG_MISSING_PACKAGE",
      "The option `compression` needs the package compression; install it with `npm install compression`.",
    );
  }
};
