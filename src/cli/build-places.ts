import { fileURLToPath } from "node:url";
import { dirname, relative } from "node:path";
import { buildHook } from "../endpoint/build-hook.ts";

const own = dirname(dirname(fileURLToPath(import.meta.url)));

/** Remembers where in the code of the application each endpoint and middleware is built. */
export const watchBuilds = (): ReadonlyMap<object, string> => {
  const places = new Map<object, string>();
  (globalThis as { [buildHook]?: (built: object) => void })[buildHook] = (built) => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 30;
    const { stack = "" } = new Error("Built");
    Error.stackTraceLimit = stackTraceLimit;
    const place = stack
      .split("\n")
      .map(toPlace)
      .find((one) => one !== undefined);
    if (place !== undefined) places.set(built, place);
  };
  return places;
};

/** File and line of a frame outside of this package. */
const toPlace = (frame: string): string | undefined => {
  const [, url, line] = /[( ](file:\/\/.+?|\/.+?):(\d+):\d+\)?$/.exec(frame) ?? [];
  if (url === undefined) return undefined;
  const file = url.startsWith("file:") ? fileURLToPath(url) : url;
  if (file.startsWith(`${own}/`) || file.includes("/node_modules/")) return undefined;
  return `${relative(process.cwd(), file)}:${line}`;
};
