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

test("the torture API and its document agree in 18,000 calls", async () => {
  const { port } = await start(tortureRouting, tortureConfig);
  const document = generateOpenApi({ routing: tortureRouting, config: tortureConfig, info });
  const driven = await drive({
    ...{ port, document, seed, calls: 18_000, secret: "let-me-in" },
    ...{ isLenient, isForgiving },
  });
  expect(driven.violations, `SALLYPORT_SEED=${seed}`).toEqual([]);
});

test("the example and its document agree in 4,000 calls", async () => {
  const { port } = await start(exampleRouting, { cors: false, upload: true });
  const document = generateOpenApi({ routing: exampleRouting, info });
  const driven = await drive({
    ...{ port, document, seed, calls: 4000, secret: apiKey, only: isFinite, isLenient },
  });
  expect(driven.violations, `SALLYPORT_SEED=${seed}`).toEqual([]);
});
