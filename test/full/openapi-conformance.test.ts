import { generateOpenApi } from "sallyport/openapi";
import { expect, test } from "vitest";
import { apiKey } from "../fixtures/users-api/src/factories.ts";
import { routing as exampleRouting } from "../fixtures/users-api/src/routing.ts";
import { start } from "../http/harness.ts";
import { createDesk, deskKey } from "../http/support-desk.ts";
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

test("the support desk matches its document in 4,000 calls, header fields included", async () => {
  const { routing, config } = createDesk();
  const { port } = await start(routing, { errorHandler: config.errorHandler });
  const document = generateOpenApi({ routing, config, info });
  const driven = await drive({ port, document, seed, calls: 4000, secret: deskKey });
  expect(driven.violations, `SALLYPORT_SEED=${seed}`).toEqual([]);
  const answered = ["200", "400", "401", "404", "412"].map(
    (status) => `put /v2/tickets/{id} ${status}`,
  );
  expect([...driven.statuses]).toEqual(expect.arrayContaining(answered));
});
