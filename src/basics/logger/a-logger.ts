import { aBoolean, be, group, oneOf } from "../messages/option-checks.ts";
import { logLevels } from "./console-logger.ts";
import { isLogger } from "./logger.ts";

/** Checks an option that is a logger, or has options of the built-in one. */
export const aLogger = group(
  {
    level: oneOf(...logLevels),
    color: aBoolean,
    depth: be(
      "a number of levels, or null for no limit",
      (value) => value === null || (typeof value === "number" && value >= 0),
    ),
  },
  [],
  isLogger,
  (anObject) =>
    `a logger with debug, info, warn and error, or ${anObject}, such as { level: "silent" }`,
);
