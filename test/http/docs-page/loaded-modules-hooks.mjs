// Writes the URL of each loaded module to standard error.
import { writeSync } from "node:fs";

export const load = (url, context, next) => {
  writeSync(2, `loaded ${url}\n`);
  return next(url, context);
};
