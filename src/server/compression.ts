import type { RequestHandler, Response } from "express";
import { ConfigError } from "../errors.ts";
import { loadCompression } from "../lazy/packages.ts";
import { findState } from "../pipeline/request-state.ts";
import type { CompressionOptions } from "./config/config.ts";

/** @throws ConfigError when the package compression is not installed. */
export const createCompression = (options: CompressionOptions): RequestHandler => {
  const compression = findCompression();
  const { filter = compression.filter } = options;
  const compress = compression({
    ...options,
    filter: (request, response) => {
      // events must not wait in the encoder
      // a 304 has no media type, but varies like the JSON that it replaces
      const isUnchanged = findState(response)?.isUnchanged === true;
      if (isEventStream(response) || !(isUnchanged || filter(request, response))) return false;
      response.vary("Accept-Encoding");
      // a range counts the bytes of the file itself; and if a secret is compressed together with reflected input, the
      // size of the response reveals the secret (BREACH)
      return (
        !isUnchanged && !response.hasHeader("Content-Range") && !response.hasHeader("Set-Cookie")
      );
    },
  });
  return (request, response, next) => {
    const methods = response as unknown as Methods;
    // the package keeps the method that it finds, but a shutdown replaces that of the prototype
    methods.writeHead = (...head) =>
      (Object.getPrototypeOf(response) as Methods).writeHead.apply(response, head);
    compress(request, response, () => {
      const end = methods.end.bind(response);
      methods.end = (...args) => {
        end(...args);
        // the encoder ends the response later, but what fails after this must not cut it off
        Object.defineProperty(response, "writableEnded", { value: true });
        return response;
      };
      next();
    });
  };
};

type Methods = Record<"end" | "writeHead", (...args: unknown[]) => Response>;

const isEventStream = (response: Response): boolean =>
  String(response.getHeader("Content-Type")).startsWith("text/event-stream");

const findCompression = (): ReturnType<typeof loadCompression> => {
  try {
    return loadCompression();
  } catch {
    throw new ConfigError(
      "SLP_CONFIG_PEER",
      "The option `compression` needs the package compression, which is not installed. Run: npm install compression.",
    );
  }
};
