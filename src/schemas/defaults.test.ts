import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { z } from "zod";
import { compileAfter, toParser } from "./parser.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("a compiled schema retains no default that the application's own parses have read", async () => {
  const read: WeakRef<object>[] = [];
  const create = (): Record<string, unknown> => {
    const value = {};
    read.push(new WeakRef(value));
    return value;
  };
  const schema = z.object({ a: z.looseObject({}).default(create) });
  for (let turn = 0; turn < compileAfter * 2; turn++) void toParser(schema)({});
  for (let turn = 0; turn < 3; turn++) schema.parse({});
  await setImmediate();
  collectGarbage();
  expect(read).toHaveLength(compileAfter * 2 + 3);
  expect(read.filter((one) => one.deref())).toEqual([]);
});
