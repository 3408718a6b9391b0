import { subscribe } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { dirname, relative } from "node:path";
import { channels } from "../endpoint/build-hook.ts";

const home = dirname(createRequire(import.meta.url).resolve("sallyport/package.json"));
/** The directory of this package's build, and the directory that its source maps refer to. */
const own = [`${home}/dist/`, `${home}/src/`];

/** Records where in the application's code each endpoint and middleware is built. */
export const watchBuilds = (): ReadonlyMap<object, string> => {
  const places = new Map<object, string>();
  subscribe(channels.built, (endpoint) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const { stack = "" } = new Error("Built");
    Error.stackTraceLimit = stackTraceLimit;
    const place = findPlace(stack);
    if (place !== undefined) places.set(endpoint as object, place);
  });
  return places;
};

/** Returns the file and line of the first stack frame in the application's code; undefined if there is none. */
export const findPlace = (stack: string): string | undefined =>
  stack
    .split("\n")
    .map(toPlace)
    .find((one) => one !== undefined);

/** Returns the file and line of a stack frame; undefined for a frame inside a package. */
const toPlace = (frame: string): string | undefined => {
  const [, url, line] = /[( ](file:\/\/.+?|\/.+?):(\d+):\d+\)?$/.exec(frame) ?? [];
  if (url === undefined) return undefined;
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  if (own.some((folder) => file.startsWith(folder)) || file.includes("/node_modules/"))
    return undefined;
  return `${relative(process.cwd(), file)}:${line}`;
};
