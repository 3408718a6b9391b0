import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { dirname, relative } from "node:path";
import { buildHook } from "../endpoint/build-hook.ts";

const home = dirname(createRequire(import.meta.url).resolve("sallyport/package.json"));
/** Where this package is built, and where source maps say that it comes from. */
const own = [`${home}/dist/`, `${home}/src/`];

/** Remembers where in the code of the application each endpoint and middleware is built. */
export const watchBuilds = (): ReadonlyMap<object, string> => {
  const places = new Map<object, string>();
  (globalThis as { [buildHook]?: (endpoint: object) => void })[buildHook] = (endpoint) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const { stack = "" } = new Error("Built");
    Error.stackTraceLimit = stackTraceLimit;
    const place = stack
      .split("\n")
      .map(toPlace)
      .find((one) => one !== undefined);
    if (place !== undefined) places.set(endpoint, place);
  };
  return places;
};

/** File and line of a frame outside of this package. */
const toPlace = (frame: string): string | undefined => {
  const [, url, line] = /[( ](file:\/\/.+?|\/.+?):(\d+):\d+\)?$/.exec(frame) ?? [];
  if (url === undefined) return undefined;
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  if (own.some((folder) => file.startsWith(folder)) || file.includes("/node_modules/"))
    return undefined;
  return `${relative(process.cwd(), file)}:${line}`;
};
