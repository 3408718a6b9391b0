// Writes the URL of each module that is loaded to the standard error.
import { writeSync } from "node:fs";

export const load = (url, context, next) => {
  writeSync(2, `loaded ${url}\n`);
  return next(url, context);
};
