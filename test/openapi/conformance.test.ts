import { generateOpenApi } from "sallyport/openapi";
import { expect, test } from "vitest";
import { apiKey } from "../fixtures/users-api/src/factories.ts";
import { routing as exampleRouting } from "../fixtures/users-api/src/routing.ts";
import { start } from "../http/harness.ts";
import { drive } from "./conformance/drive.ts";
import { isFinite, isForgiving, isLenient } from "./conformance/exceptions.ts";
import { tortureConfig, tortureRouting } from "./torture/routing.ts";

const info = { title: "Test", version: "1" };

test("the torture API matches its document in 800 calls", async () => {
  const { port } = await start(tortureRouting, tortureConfig);
  const document = generateOpenApi({ routing: tortureRouting, config: tortureConfig, info });
  const driven = await drive({
    port,
    document,
    calls: 800,
    secret: "let-me-in",
    isLenient,
    isForgiving,
  });
  expect(driven.violations).toEqual([]);
  expect(driven.accepted).toBeGreaterThan(200);
  expect(driven.refused).toBeGreaterThan(100);
});

test("the example matches its document in 200 calls", async () => {
  const { port } = await start(exampleRouting, { cors: false, upload: true });
  const document = generateOpenApi({ routing: exampleRouting, info });
  const driven = await drive({
    ...{ port, document, calls: 200, secret: apiKey, only: isFinite, isLenient },
  });
  expect(driven.violations).toEqual([]);
  const one = "/v1/users/{id}";
  const expected = [
    ...[`delete ${one} 200`, `delete ${one} 400`, `delete ${one} 401`, `delete ${one} 404`],
    ...["get /v1/exports/users.csv 200", "get /v1/users 200", "get /v1/users 400"],
    ...[`get ${one} 200`, `get ${one} 400`, `get ${one} 404`],
    ...[`get ${one}/picture 400`, `get ${one}/picture 404`],
    ...[`patch ${one} 200`, `patch ${one} 400`, `patch ${one} 401`, `patch ${one} 404`],
    ...[`patch ${one} 415`, "post /v1/users 201", "post /v1/users 400"],
    ...["post /v1/users 401", "post /v1/users 415"],
  ];
  expect(expected.filter((status) => !driven.statuses.has(status))).toEqual([]);
});
