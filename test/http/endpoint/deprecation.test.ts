import { defaultEndpointsFactory as factory, type DefinitionError } from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { testEndpoint } from "sallyport/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { generate, generateOne } from "../../openapi/generate.ts";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

const build = (deprecated: NonNullable<Parameters<typeof factory.build>[0]["deprecated"]>) =>
  factory.build({ deprecated, description: "Lists users.", handler: () => ({}) });

const dates = { since: "2023-06-30T23:59:59Z", sunset: new Date("2099-12-31") };

describe("A deprecated endpoint", () => {
  test("can be tested without a server", async () => {
    const { responseMock } = await testEndpoint({ endpoint: build(dates) });
    expect(responseMock.statusCode).toBe(200);
  });

  test.each([":path", "*path"])("names each segment of a wildcard as %s", async (name) => {
    const server = await start({
      "files/*path": build({ ...dates, replacement: `/v2/files/${name}` }),
    });
    const { headers } = await server.send("/files/a/b%20c");
    expect(headers["link"]).toBe('</v2/files/a/b%20c>; rel="successor-version"');
  });

  test("sends its dates and links, and works as before", async () => {
    const policy = "https://example.com/policy";
    const users = build({ ...dates, policy, replacement: "/v2/users/:id" });
    const server = await start({ "users/:id": users });
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await server.send("/users/a%2Fb", { method });
      expect([status, headers]).toMatchObject([
        200,
        {
          deprecation: "@1688169599",
          sunset: "Thu, 31 Dec 2099 00:00:00 GMT",
          link: `<${policy}>; rel="deprecation", <${policy}>; rel="sunset", </v2/users/a%2Fb>; rel="successor-version"`,
        },
      ]);
    }
  });

  test.each([[true], [{ since: "2023-06-30" }]])(
    "has only the fields that %j gives",
    async (deprecated) => {
      const server = await start({ users: build(deprecated) });
      const { headers } = await server.send("/users");
      expect([headers.deprecation, headers.sunset, headers.link]).toEqual([
        deprecated === true ? undefined : "@1688083200",
        undefined,
        undefined,
      ]);
    },
  );

  test("has its fields on errors too", async () => {
    const users = factory.build({
      deprecated: dates,
      input: z.object({ id: z.string() }),
      handler: () => ({}),
    });
    const server = await start({ users });
    const answer = await server.send("/users");
    expect([answer.status, answer.headers.deprecation]).toEqual([400, "@1688169599"]);
  });

  test("is gone from its sunset on, if so declared", async () => {
    const since = "2023-01-01";
    const server = await start({
      gone: build({ since, sunset: "2023-07-01", gone: true }),
      past: build({ since, sunset: "2023-07-01" }),
      near: build({ since, sunset: "2099-07-01", gone: true }),
    });
    const gone = await server.send("/gone");
    expect([gone.status, gone.json()]).toEqual([410, errorEnvelope("Gone")]);
    expect(gone.headers.sunset).toBe("Sat, 01 Jul 2023 00:00:00 GMT");
    for (const path of ["/past", "/near"])
      expect((await server.send(path)).json()).toEqual(successEnvelope({}));
  });

  test("can be a copy, whose own dates replace those of the original", async () => {
    const users = build({ ...dates, replacement: "/v2" });
    const server = await start({
      v1: users.deprecated({ since: "2024-01-01" }),
      v0: users,
      plain: users.deprecated(),
    });
    const [v1, v0] = [await server.send("/v1"), await server.send("/v0")];
    expect([v1.headers.deprecation, v1.headers.link]).toEqual(["@1704067200", undefined]);
    expect(v0.headers.deprecation).toBe("@1688169599");
    expect((await server.send("/plain")).headers.deprecation).toBeUndefined();
  });

  test.each(["Asia/Tokyo", "America/New_York"])(
    "reads dates without a time zone as UTC on a machine in %s",
    async (zone) => {
      const { TZ } = process.env;
      process.env["TZ"] = zone;
      onTestFinished(() => {
        if (TZ === undefined) delete process.env["TZ"];
        else process.env["TZ"] = TZ;
      });
      const sunset = "2099-01-01T00:30";
      const users = build({ since: "2023-06-30T23:59:59", sunset });
      const { headers } = await (await start({ users })).send("/users");
      expect([headers.deprecation, headers.sunset]).toEqual([
        "@1688169599",
        "Thu, 01 Jan 2099 00:30:00 GMT",
      ]);
      expect(generateOne("GET /users", { users })).toMatchObject({ "x-sunset": "2099-01-01" });
    },
  );

  test("is described in documents and generated clients", () => {
    const users = build({ ...dates, replacement: "/v2/users", policy: "/policy", gone: true });
    const text =
      "Deprecated since 2023-06-30. Responds with 410 from 2099-12-31 on. Replaced by /v2/users. See /policy.";
    const operation = generate({ users }).paths?.["/users"]?.get;
    expect(operation).toMatchObject({
      deprecated: true,
      description: `Lists users.\n\n${text}`,
      summary: "Lists users",
      "x-sunset": "2099-12-31",
    });
    const { responses } = operation as { readonly responses: object };
    expect(Object.keys(responses)).toEqual(["200", "410", "500"]);
    const client = generateClient({ routing: { users } });
    expect(client).toContain(` * @deprecated ${text}\n`);
    expect(client).toContain("410");
  });

  test.each([
    [1, "must be true, false, or an object with since, sunset, replacement, policy, gone; got 1."],
    [{}, 'needs `since`, as in { since: "2026-01-31" }.'],
    [
      { since: "31.1.2026" },
      '.since` must be a Date, or a date such as "2026-12-31"; got "31.1.2026".',
    ],
    [{ since: "2026-02-31" }, '.since` must be a Date, or a date such as "2026-12-31"'],
    [{ since: "2026-01-02", sunset: "2026-01-01" }, "has a `sunset` that is earlier than `since`."],
    [{ since: "2026-01-02", gone: true }, "has `gone` without a `sunset`; add the date."],
    [
      { since: "2026-01-02", policy: "a>b" },
      '.policy` must be a URL, or a path such as "/v2/users"; got "a>b".',
    ],
  ])("refuses %j", (deprecated, message) => {
    for (const define of [
      () => build(deprecated as never),
      () => build(true).deprecated(deprecated as never),
    ]) {
      let error: unknown;
      try {
        define();
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject({ name: "DefinitionError" } satisfies Partial<DefinitionError>);
      expect((error as Error).message).toContain(message);
    }
  });
});

test("The header fields of a deprecated endpoint are documented", () => {
  const listFields = (deprecated: Parameters<typeof build>[0]) => {
    const { responses } = generateOne("GET /users", { users: build(deprecated) });
    return Object.keys(responses["200"]?.headers ?? {});
  };
  expect(listFields({ ...dates, policy: "/policy" })).toEqual(["Deprecation", "Sunset", "Link"]);
  expect(listFields({ since: "2023-06-30" })).toEqual(["Deprecation"]);
  expect(listFields(true)).toEqual([]);
});
