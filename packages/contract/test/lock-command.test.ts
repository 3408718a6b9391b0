import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@sallyport/document";
import { asResponse, withOperation } from "./lock-tools.ts";
import { useFolder } from "./project-folder.ts";
import { runCommand as run } from "./run-command.ts";

const { at, write, install, start: startCommand } = useFolder();

const lock = (): string => at("api.lock.json");
const runLock = (...args: string[]) => run("lock", "--lock", lock(), ...args);

const user = (required: readonly string[], more: JsonObject = {}): JsonObject =>
  asResponse({ type: "object", properties: { name: { type: "string" }, ...more }, required });

const strict = user(["name"]);
const loose = user([]);

describe("a lock", () => {
  test("may be that of a file with a byte order mark", async () => {
    const [json, yaml] = ["a.json", "a.yaml"].map((name) =>
      write(name, `\uFEFF${JSON.stringify(strict)}`),
    );
    expect((await runLock("--head", json ?? "")).err).toBe("");
    write("api.lock.json", `\uFEFF${readFileSync(lock(), "utf8")}`);
    expect(await runLock("--check", "--head", yaml ?? "")).toMatchObject({ code: 0, err: "" });
  });

  test("is written, and compared with later documents", async () => {
    const base = write("base.yaml", strict);
    expect(await runLock("--head", base)).toEqual({
      ...{ code: 0, err: "" },
      out: `Wrote ${lock()} (1 operation)\n`,
    });
    expect(await runLock("--check", "--head", base)).toEqual({
      ...{ code: 0, err: "" },
      out: "Nothing has changed that clients could notice.\n",
    });
    const head = write("head.json", loose);
    expect(await runLock("--check", "--head", head)).toEqual({
      ...{ code: 1, err: "" },
      out: [
        "Breaking",
        "  POST /users response 200 .name: the property became optional. [response-schema-property-became-optional]",
        "",
        "Next version: major",
        "",
        `To accept a change: npx sallyport lock accept response-schema-property-became-optional 'POST /users response 200 .name' --head ${head} --lock ${lock()} --why "..."`,
        "",
      ].join("\n"),
    });
  });

  test("does not depend on names and order", async () => {
    const text = { type: "string" };
    const named = (name: string) =>
      asResponse(
        { $ref: `#/components/schemas/${name}` },
        {
          [name]: {
            type: "object",
            properties: { next: { $ref: `#/components/schemas/${name}` }, text },
          },
        },
      );
    await runLock("--head", write("base.json", named("Node")));
    const before = readFileSync(lock(), "utf8");
    await runLock("--head", write("head.yaml", named("Entry")));
    expect(readFileSync(lock(), "utf8")).toBe(before);
    expect(before).not.toMatch(/Node|Entry/);
  });

  test("keeps the changes that were accepted, and why, until it is written anew", async () => {
    await runLock("--head", write("base.json", strict));
    const head = write("head.json", loose);
    const change = ["response-schema-property-became-optional", "POST /users response 200 .name"];
    expect(
      await runLock("accept", ...change, "--why", "no client reads it", "--head", head),
    ).toEqual({
      ...{ code: 0, err: "" },
      out: "Accepted POST /users response 200 .name: the property became optional\n",
    });
    const { code, out } = await runLock("--check", "--head", head);
    expect(code).toBe(0);
    expect(out).toContain("accepted: no client reads it");
    expect(out).toContain("Next version: major");
    expect(out).not.toContain("To accept");
    await runLock("--head", write("base.json", strict));
    expect((await runLock("--check", "--head", head)).code).toBe(1);
  });

  test("accepts a rule in a whole operation, and nothing else", async () => {
    await runLock("--head", write("base.json", user(["name", "age"], { age: { type: "number" } })));
    const head = write("head.json", user([], { age: { type: "number" } }));
    const rule = "response-schema-property-became-optional";
    await runLock("accept", rule, "POST /users", "--why", "announced", "--head", head);
    expect((await runLock("--check", "--head", head)).code).toBe(0);
    const other = write("other.json", user([], { age: { type: "string" } }));
    expect((await runLock("--check", "--head", other)).code).toBe(1);
  });

  test("an acceptance of one property does not cover another whose name begins alike", async () => {
    const own = (required: string[]) => user(required, { names: { type: "string" } });
    await runLock("--head", write("base.json", own(["name", "names"])));
    const head = write("head.json", own([]));
    const rule = "response-schema-property-became-optional";
    await runLock("accept", rule, "POST /users response 200 .name", "--why", "x", "--head", head);
    const { code, out } = await runLock("--check", "--head", head);
    expect(code).toBe(1);
    expect(out).toContain(
      "To accept a change: npx sallyport lock accept " +
        rule +
        " 'POST /users response 200 .names'",
    );
  });

  test("access that is opened must be accepted, and is no break", async () => {
    await runLock("--head", write("base.json", withOperation({ security: [{ bearer: [] }] })));
    const { code, out } = await runLock("--check", "--head", write("head.json", withOperation({})));
    expect(code).toBe(1);
    expect(out).toContain(
      "Access opened\n  POST /users: no credentials are needed any longer, before: bearer.",
    );
    expect(out).toContain("Next version: minor");
  });
});

describe("formats", () => {
  const compare = (format: string) =>
    run(
      ...["lock", "--base", write("base.yaml", strict), "--head", write("head.yaml", loose)],
      ...["--format", format],
    );

  test("json", async () => {
    const { code, out } = await compare("json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ok: false,
      bump: "major",
      changes: [
        {
          rule: "response-schema-property-became-optional",
          level: "breaking",
          bump: "major",
          operation: "POST /users",
          path: "POST /users response 200 .name",
          text: "the property became optional",
          witness: {},
        },
      ],
    });
  });

  test("markdown", async () => {
    expect(await compare("markdown")).toMatchObject({
      code: 1,
      out: [
        "### API changes: major",
        "",
        "#### Breaking (1)",
        "",
        "- **`POST /users`**",
        "  - `response 200 .name`: the property became optional (`response-schema-property-became-optional`)",
        "",
      ].join("\n"),
    });
  });

  test("what a document says cannot become markup", async () => {
    const own = (value: string) => asResponse({ enum: ["a", value] });
    const [base, head] = [write("base.json", own("b")), write("head.json", own("<img>*|"))];
    const { out } = await run("lock", "--base", base, "--head", head, "--format", "markdown");
    expect(out).toContain(String.raw`\<img\>\*\|`);
  });

  test("minor and patch versions", async () => {
    const base = write("base.json", withOperation({ tags: ["a"] }));
    const bump = async (head: JsonObject) => {
      const { code, out } = await run("lock", "--base", base, "--head", write("head.json", head));
      return [code, /Next version: (\w+)/.exec(out)?.[1]];
    };
    const page = { name: "page", in: "query", schema: { type: "number" } };
    expect(await bump(withOperation({ tags: ["a"], parameters: [page] }))).toEqual([0, "minor"]);
    expect(await bump(withOperation({ tags: ["b"] }))).toEqual([0, "patch"]);
  });
});

test("documents may refer to other files", async () => {
  write("parts/user.yaml", {
    User: { type: "object", properties: { name: { $ref: "name.json" } } },
  });
  write("parts/name.json", { type: "string" });
  const base = write("base.yaml", asResponse({ $ref: "parts/user.yaml#/User" }));
  const same = write(
    "same.json",
    asResponse({ type: "object", properties: { name: { type: "string" } } }),
  );
  expect(await run("lock", "--base", base, "--head", same)).toMatchObject({ code: 0 });
});

test("merge keys of YAML are followed", async () => {
  const own = (type: string): string =>
    write(
      `${type}.yaml`,
      [
        "openapi: 3.1.0",
        `x-user: &user { type: object, properties: { id: { type: ${type} } } }`,
        "paths: { /users: { get: { responses: { 200: { content: { application/json: { schema:",
        "  { <<: *user, required: [id] } } } } } } } }",
      ].join("\n"),
    );
  const { code, out } = await run("lock", "--base", own("string"), "--head", own("number"));
  expect(out).toContain("[response-schema-type-changed]");
  expect(code).toBe(1);
});

describe("incorrect usage exits with 2", () => {
  test.each([
    [
      "an unknown option",
      ["lock", "--chekc"],
      /lock: there is no option `--chekc`\. Did you mean `--check`\?/,
    ],
    [
      "an option without a value",
      ["lock", "--head", "--check"],
      /--head needs a value, as in `--head <file>`/,
    ],
    ["a value too many", ["lock", "--check=yes"], /--check takes no value; got yes/],
    [
      "an unknown format",
      ["lock", "--check", "--format", "xml"],
      /--format must be one of text, json, markdown, junit, sarif, github; got xml/,
    ],
    ["two entries", ["lock", "a.ts", "b.ts"], /takes one entry; got a\.ts b\.ts/],
    ["an entry and a document", ["lock", "a.ts", "--head", "b.yaml"], /leave out a\.ts or --head/],
    [
      "a format without a comparison",
      ["lock", "--format", "json", "--head", "a"],
      /--format needs --check/,
    ],
    ["levels without a comparison", ["lock", "--levels", "a"], /--levels needs --check or --base/],
    [
      "an unknown level that fails",
      ["lock", "--check", "--fail-on", "harmless"],
      /--fail-on must be breaking or warning; got harmless/,
    ],
    ["a reason without accept", ["lock", "--why", "x"], /--why belongs to/],
    [
      "accept without a path",
      ["lock", "accept", "operation-removed"],
      /accept needs a rule and a path/,
    ],
    ["accept of an unknown rule", ["lock", "accept", "x", "y", "--why", "z"], /There is no rule x/],
    ["accept without a reason", ["lock", "accept", "operation-removed", "y"], /--why is missing/],
    [
      "accept with --check",
      ["lock", "accept", "x", "y", "--check"],
      /leave out --check and --base/,
    ],
  ])("%s", async (_name, args, message) => {
    const { code, out, err } = await run(...args);
    expect(code).toBe(2);
    expect(`${out}${err}`).toMatch(message);
  });

  test("accept of a change that has not happened", async () => {
    const base = write("base.json", strict);
    await runLock("--head", base);
    const { code, err } = await runLock(
      ...["accept", "operation-removed", "GET /", "--why", "x", "--head", base],
    );
    expect(code).toBe(2);
    expect(err).toContain("There is no change of the rule operation-removed at GET / to accept.");
  });
});

describe("files that cannot be used exit with 2", () => {
  test.each([
    ["a missing lock", undefined, /^sallyport: There is no .*api\.lock\.json\. Write it with/],
    ["a lock that is no JSON", "{", /is no lock\. Write it anew/],
    ["a lock of another version", '{"lock":1,"contract":{}}', /was written by another version/],
    ["a lock without operations", '{"lock":2,"contract":{}}', /is no lock\. Write it anew/],
  ])("%s", async (_name, text, message) => {
    if (text !== undefined) write("api.lock.json", text);
    const { code, err } = await runLock("--check", "--head", write("head.json", strict));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
  });

  test("a missing document", async () => {
    const { code, err } = await runLock("--head", at("missing.yaml"));
    expect(code).toBe(2);
    expect(err).toMatch(/^sallyport: .*missing\.yaml cannot be read: ENOENT/);
  });

  test.each([
    ["a missing base", () => ["--base", at("missing.json")], /cannot be read: ENOENT/],
    ["a base that is a folder", () => ["--base", at()], /cannot be read: EISDIR/],
    ["a base that is no document", () => ["--base", write("base.json", [])], /OpenAPI/],
    ["a base that is an old lock", () => ["--base", write("b.json", { lock: 0 })], /is no lock/],
    ["missing levels", () => ["--check", "--levels", at("x")], /cannot be used: ENOENT/],
  ])("%s", async (_name, toArgs, message) => {
    const { code, err, out } = await runLock(...toArgs(), "--head", write("head.json", strict));
    expect({ code, err, out }).toEqual({ code: 2, err: expect.stringMatching(message), out: "" });
  });

  test("a lock that cannot be written", async () => {
    const path = at("missing", "api.lock.json");
    const { code, err } = await run("lock", "--lock", path, "--head", write("a.json", strict));
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/cannot be written: ENOENT/),
    });
  });
});

test("the help names every option", async () => {
  const { code, out } = await run("lock", "--help");
  expect(code).toBe(0);
  for (const option of [
    "check",
    "format",
    "lock",
    "base",
    "head",
    "fail-on",
    "levels",
    "docs",
    "why",
  ])
    expect(out).toContain(`--${option}`);
  expect(out).toContain("USAGE sallyport lock accept RULE PATH --why <text> [OPTIONS] [ENTRY]");
});

const api = (output: string): string => `
  import { z } from "zod";
  import { defaultEndpointsFactory } from "sallyport";
  const listUsers = defaultEndpointsFactory.build({
    output: z.object({ names: ${output} }),
    handler: async () => ({ names: [] }),
  });
  export const config = {};
  export const routing = { users: { get: listUsers } };
`;

describe("sallyport lock", () => {
  const start = (...args: readonly string[]) => startCommand("lock", ...args);

  test("locks the API of the application", { timeout: 240_000 }, () => {
    install();
    write("api.ts", api("z.array(z.string())"));
    expect(start()).toMatchObject({
      status: 0,
      stdout: "Wrote api.lock.json (1 operation)\n",
      stderr: "",
    });
    expect(existsSync(at("api.lock.json"))).toBe(true);
    write("api.ts", api("z.array(z.number())"));
    expect(start("--check", "--format", "json")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("response-schema-type-changed"),
    });
    const documents = 'export const config = { docs: [{ path: "/v1" }, { path: "/v2" }] };';
    write("api.ts", api("z.array(z.number())").replace("export const config = {};", documents));
    expect(start("--check")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--docs is missing. Pass the path of one of the documents"),
    });
    expect(start("--check", "--docs", "/v2").stdout).toContain("response-schema-type-changed");
    write("api.ts", "throw new Error('down');");
    const failed = start("--check");
    expect(failed.status).toBe(1);
    expect(failed.stderr).toMatch(/^sallyport: .*api\.ts cannot be loaded: down \(api\.ts:1\)\n$/);
  });

  test("says what to install if the package is missing", () => {
    expect(start("--check")).toMatchObject({
      status: 1,
      stderr:
        "sallyport: `sallyport lock` needs @sallyport/contract. Run: npm install --save-dev @sallyport/contract\n",
    });
  });

  test("says that package.json cannot be read, rather than what to install", () => {
    write("package.json", '{ "type": "module", }');
    const { status, stderr } = start("--check");
    expect(stderr).toMatch(/^sallyport: @sallyport\/contract cannot be found: .*package\.json/);
    expect(stderr).not.toContain("npm install");
    expect(status).toBe(1);
  });
});
