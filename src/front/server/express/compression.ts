import type { RequestHandler } from "express";
import { holdEnd, replaceMethods } from "../../../wire/exchange/replace-methods.ts";
import { toPackageError } from "../../../basics/messages/missing-package.ts";
import type { CompressionOptions } from "../config/config.ts";

/** Creates the middleware of the `compression` option, from the package of that name. */
export const createCompression = async (options: CompressionOptions): Promise<RequestHandler> => {
  const compression = await loadCompression();
  const { filter = compression.filter } = options;
  const compress = compression({
    ...options,
    filter: (request, response) => {
      // events must not wait in the encoder
      if (String(response.getHeader("Content-Type")).startsWith("text/event-stream")) return false;
      // a 304 has no media type, but varies like the response that it replaces
      const isUnchanged = response.statusCode === 304;
      if (!isUnchanged && !filter(request, response)) return false;
      response.vary("Accept-Encoding");
      // a range counts the bytes of the file itself; and if a secret is compressed together with reflected input, the
      // size of the response reveals the secret (BREACH)
      return (
        !isUnchanged && !response.hasHeader("Content-Range") && !response.hasHeader("Set-Cookie")
      );
    },
  });
  return (request, response, next) => {
    // the package keeps the method that it finds, but a shutdown replaces that of the prototype
    replaceMethods(response, { writeHead: (original) => original });
    compress(request, response, () => {
      replaceMethods(response, {
        end: (original) =>
          function (...args) {
            Reflect.apply(original, this, args);
            // the encoder ends the response later
            holdEnd(this);
            return this;
          },
      });
      next();
    });
  };
};

const loadCompression = async () => {
  try {
    return (await import("compression")).default;
  } catch (cause) {
    throw toPackageError("The `compression` option", "compression", cause);
  }
};
