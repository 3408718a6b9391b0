import { createHook } from "node:async_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import helmet from "helmet";
import { defaultEndpointsFactory as factory } from "sallyport";
import { expect, onTestFinished, test } from "vitest";
import { start } from "../harness.ts";

test("a native middleware runs without `this`, and its asynchronous resource is destroyed", async () => {
  const seen: unknown[] = [];
  const kept = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === "SALLYPORT" && kept.add(id)),
    destroy: (id) => void kept.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  const guarded = factory.use(function (this: unknown, _request, _response, next) {
    seen.push(this);
    next();
  });
  const server = await start({ run: guarded.build({ handler: () => ({}) }) });
  for (let count = 0; count < 20; count++) await server.send("/run");
  expect(new Set(seen)).toEqual(new Set([undefined]));
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await expect
    .poll(() => {
      collect();
      return kept.size;
    })
    .toBeLessThan(20);
});

test("the stack of an error thrown later shows nothing of a native middleware", async () => {
  const stacks: (string | undefined)[] = [];
  const guarded = factory.use(helmet()).addMiddleware({
    handler: () => {
      const error = new Error("no");
      stacks.push(error.stack);
      throw error;
    },
  });
  const server = await start({ run: guarded.build({ handler: () => ({}) }) });
  await server.send("/run");
  expect(stacks).toEqual([expect.stringContaining("native-context.test.ts")]);
  expect(stacks[0]).not.toContain("helmet");
});
