import { generateOpenApi } from "sallyport/openapi";
import { expect, test } from "vitest";
import { apiKey } from "../../example/src/factories.ts";
import { routing as exampleRouting } from "../../example/src/routing.ts";
import { start } from "../http/harness.ts";
import { drive } from "../openapi/conformance/drive.ts";
import { isFinite, isForgiving, isLenient } from "../openapi/conformance/exceptions.ts";
import { tortureConfig, tortureRouting } from "../openapi/torture/routing.ts";

const info = { title: "Test", version: "1" };
const seed = Number(process.env["SALLYPORT_SEED"] ?? Date.now() % 1_000_000);

test.each([
  ["18,000 calls", "3.1", 18_000],
  ["2,000 calls with the keywords of OpenAPI 3.2", "3.2", 2000],
] as const)("the torture API matches its document in %s", async (_name, openapi, calls) => {
  const { port } = await start(tortureRouting, tortureConfig);
  const routing = tortureRouting;
  const document = generateOpenApi({ routing, config: tortureConfig, info, openapi });
  const driven = await drive({
    ...{ port, document, seed, calls, secret: "let-me-in" },
    ...{ isLenient, isForgiving },
  });
  expect(driven.violations, `SALLYPORT_SEED=${seed}`).toEqual([]);
});

test("the example matches its document in 4,000 calls", async () => {
  const { port } = await start(exampleRouting, { cors: false, upload: true });
  const document = generateOpenApi({ routing: exampleRouting, info });
  const driven = await drive({
    ...{ port, document, seed, calls: 4000, secret: apiKey, only: isFinite, isLenient },
  });
  expect(driven.violations, `SALLYPORT_SEED=${seed}`).toEqual([]);
});
