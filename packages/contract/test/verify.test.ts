import { expect, test } from "vitest";
import { verify } from "../src/index.ts";
import { createTortureApi } from "./verify-api.ts";

test("nothing is found in an API that keeps to its document", async () => {
  const start = performance.now();
  const result = await verify(createTortureApi());
  console.log(performance.now()-start, result.calls);
  expect(result.text).toContain("No failures");
  console.log(result.text);
});
