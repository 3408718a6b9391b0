import { expect, test } from "vitest";
import { shareSamples, warnSampled } from "./sampling.ts";

test("a kind is logged once a second, another kind as well, also by the loggers of many requests", () => {
  const lines: string[] = [];
  const ignore = (): void => undefined;
  const logger = {
    ...{ debug: ignore, info: ignore, error: ignore },
    warn: (message: string) => void lines.push(message),
  };
  for (let count = 0; count < 3; count++) {
    const child = { ...logger };
    shareSamples(child, logger);
    warnSampled(child, "one", "First", {});
    warnSampled(child, "two", "Second", {});
  }
  warnSampled(logger, "one", "First", {});
  expect(lines).toEqual(["First", "Second"]);
});
