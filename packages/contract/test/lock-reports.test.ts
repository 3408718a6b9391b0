import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Change } from "../src/lock/compare/change.ts";
import type { JsonObject } from "@sallyport/document";
import { formats, toReport, type Format } from "../src/lock/report/report.ts";
import { judge } from "../src/lock/verdict/verdict.ts";
import { toVisible } from "../src/lock/verdict/visible.ts";
import { asResponse, withOperation } from "./lock-tools.ts";
import { runCommand } from "./run-command.ts";

const optional: Change = {
  ...{ rule: "response-schema-property-became-optional", level: "breaking", bump: "major" },
  ...{ operation: "GET /users/{id}", path: "GET /users/{id} response 200 .name" },
  text: "the property became optional",
};
const grown: Change = {
  ...{ rule: "response-schema-enum-value-added", level: "warning", bump: "minor" },
  ...{ operation: "GET /users/{id}", path: "GET /users/{id} response 200 .role" },
  text: 'the value "a,b: 50%" was added',
};
const added: Change = {
  ...{ rule: "operation-added", level: "harmless", bump: "minor" },
  ...{ operation: "GET /new", path: "GET /new", text: "the operation was added" },
};

const report = (
  format: Format,
  changes: readonly Change[],
  { failOn = "breaking", why }: { failOn?: "breaking" | "warning"; why?: string } = {},
): string => {
  const accepted = why === undefined ? [] : [{ rule: optional.rule, path: optional.path, why }];
  return toReport(judge(changes, { accepted, levels: new Map(), failOn }), format, "src/api.ts");
};

describe("github", () => {
  test("has an annotation for each change that matters", () => {
    expect(report("github", [optional, grown, added])).toBe(
      [
        "::error file=src/api.ts,title=API%3A breaking::GET /users/{id} response 200 .name: the property became optional. [response-schema-property-became-optional]",
        '::warning file=src/api.ts,title=API%3A warning::GET /users/{id} response 200 .role: the value "a,b: 50%25" was added. [response-schema-enum-value-added]',
        "Next version: major",
        "",
      ].join("\n"),
    );
  });

  test("has errors for warnings that fail, and notices for what is accepted", () => {
    const lines = report("github", [optional, grown], { failOn: "warning", why: "told" }).split(
      "\n",
    );
    expect(lines[0]).toMatch(/^::notice .*\. \[.*\]; accepted: told$/);
    expect(lines[1]).toMatch(/^::error file=src\/api\.ts,title=API%3A warning::/);
  });

  test("says that nothing has changed", () => {
    expect(report("github", [])).toBe("Nothing has changed that clients could notice.\n");
  });
});

describe("junit", () => {
  test("has a test case for each change, of which open ones fail", () => {
    expect(report("junit", [optional, grown, added])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="sallyport lock" tests="3" failures="1" errors="0" skipped="0">
    <testcase classname="GET /users/{id}" name="GET /users/{id} response 200 .name: response-schema-property-became-optional">
      <failure type="breaking" message="the property became optional"/>
    </testcase>
    <testcase classname="GET /users/{id}" name="GET /users/{id} response 200 .role: response-schema-enum-value-added"/>
    <testcase classname="GET /new" name="GET /new: operation-added"/>
  </testsuite>
</testsuites>
`);
  });

  test("escapes markup, and skips what is accepted", () => {
    const text = report("junit", [{ ...optional, text: 'a <b> & "c"' }], { why: "told" });
    expect(text).toContain('<skipped message="a &#60;b&#62; &#38; &#34;c&#34;; accepted: told"/>');
    expect(text).toContain('failures="0" errors="0" skipped="1"');
  });

  test("has a test case even if nothing has changed", () => {
    expect(report("junit", [])).toContain('tests="1" failures="0"');
  });
});

test("sarif has a result for each change, with its rule", () => {
  const { runs, version } = JSON.parse(report("sarif", [optional, grown], { why: "told" })) as {
    readonly version: string;
    readonly runs: readonly { readonly tool: unknown; readonly results: readonly JsonObject[] }[];
  };
  expect(version).toBe("2.1.0");
  expect(runs[0]?.tool).toEqual({
    driver: {
      name: "sallyport lock",
      rules: [
        { id: optional.rule, shortDescription: { text: "the property became optional" } },
        { id: grown.rule, shortDescription: { text: expect.any(String) as string } },
      ],
    },
  });
  const [first, second] = runs[0]?.results ?? [];
  expect(first).toEqual({
    ...{ ruleId: optional.rule, ruleIndex: 0, level: "error" },
    message: {
      text: "GET /users/{{id}} response 200 .name: the property became optional. [response-schema-property-became-optional]; accepted: told",
    },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: "src/api.ts" }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: optional.path }],
      },
    ],
    partialFingerprints: {
      primaryLocationLineHash: expect.stringMatching(/^[\da-f]{16}$/) as string,
    },
    suppressions: [{ kind: "external", justification: "told" }],
  });
  expect(second).toMatchObject({ ruleIndex: 1, level: "warning" });
  expect(second?.["partialFingerprints"]).not.toEqual(first?.["partialFingerprints"]);
});

/** What a terminal, a log of CI or a page would take for its own, in a path of a document. */
const hostile =
  "/a\n::error file=x::b\r\n# c\n##[error]d\u001b[31m\u009b\u202e\u2028`|<img src=x>\u0000\ufffe";

test.each(formats)("%s shows in one line what documents say", (format) => {
  const name = `GET ${hostile}`;
  const change = { ...optional, operation: name, path: `${name} response`, text: `no ${hostile}` };
  const toText = (one: Change): string => {
    // as the report shows it
    const acceptance = { rule: one.rule, path: toVisible(one.path), why: hostile };
    const verdict = judge([one, added], {
      ...{ accepted: [acceptance], levels: new Map(), failOn: "breaking" },
    });
    return toReport(verdict, format, "src/api.ts");
  };
  const text = toText(change);
  const plain = toText({ ...change, operation: "GET /a", path: "GET /a response", text: "no" });
  expect(text.split("\n")).toHaveLength(plain.split("\n").length);
  expect(text).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e\ufffe]|##\[|^\s*::error file=x/mu);
  // within code, markup is text
  const outside = format === "markdown" ? text.replaceAll(/(?<!\\)`[^`\n]*`/g, "") : "";
  expect(outside).not.toMatch(/(?<!\\)[<`|]/);
  expect(format === "junit" ? text : "").not.toContain("<img");
});

describe("what must be accepted", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-levels-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, content: unknown): string => {
    const file = join(folder, name);
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
    return file;
  };
  const roles = (...values: string[]) => asResponse({ type: "string", enum: values });
  const lock = async (base: JsonObject, head: JsonObject, ...args: string[]) => {
    const file = join(folder, "api.lock.json");
    await runCommand("lock", "--lock", file, "--head", write("base.json", base));
    const common = ["--lock", file, "--head", write("head.json", head)];
    return runCommand("lock", ...args, ...common);
  };
  const value = ["response-schema-enum-value-added", "POST /users"];

  test("are warnings, too, with --fail-on warning", async () => {
    const pair = [roles("a"), roles("a", "b")] as const;
    expect((await lock(...pair, "--check")).code).toBe(0);
    const { code, out } = await lock(...pair, "--check", "--fail-on", "warning");
    expect([code, out]).toEqual([1, expect.stringContaining(`lock accept ${value[0]}`)]);
    expect((await lock(...pair, "accept", ...value, "--why", "told")).code).toBe(0);
  });

  test("may be less than usual, with a reason", async () => {
    const levels = write("levels.json", {
      "operation-removed": { level: "warning", why: "nobody calls it" },
    });
    const { code, out } = await lock(
      withOperation({}),
      { ...withOperation({}), paths: {} },
      ...["--check", "--levels", levels],
    );
    expect(code).toBe(0);
    expect(out).toContain(
      "Warnings\n  POST /users: the operation was removed. [operation-removed]\n    warning here: nobody calls it\n\nNext version: minor\n",
    );
  });

  test("may be more than usual, but not what was never promised", async () => {
    const levels = write("levels.json", {
      "tag-added": { level: "breaking", why: "we route by it" },
    });
    const tagged = (more: JsonObject) => withOperation({ tags: ["a"], ...more });
    const args = ["--check", "--levels", levels];
    const { code, out } = await lock(withOperation({}), tagged({}), ...args);
    expect([code, out]).toEqual([1, expect.stringContaining("Next version: major")]);
    const file = write("removed.json", { "operation-removed": { level: "warning", why: "x" } });
    const draft = withOperation({ "x-stability-level": "draft" });
    const removed = await lock(draft, { ...draft, paths: {} }, ...["--check", "--levels", file]);
    expect(removed.out).toContain("Harmless\n  POST /users: the operation was removed.");
  });

  test.each([
    ["{", /levels\.json cannot be used: .*JSON/],
    ["[]", /levels\.json cannot be used: it must be an object/],
    ['{\n"no-rule": {} }', /levels\.json:2: there is no rule no-rule\./],
    [
      '{\n\n"tag-added": { "level": "minor", "why": "x" } }',
      /levels\.json:3: the level of tag-added must be one of breaking, access, warning, harmless; got "minor"\./,
    ],
    ['{ "tag-added": "warning" }', /levels\.json:1: the level of tag-added must be one of/],
    ['{ "tag-added": { "level": "warning" } }', /levels\.json:1: tag-added needs a reason: "why"/],
    ['{ "tag-added": { "level": "warning", "why": " " } }', /needs a reason/],
  ])("are not told by %s", async (text, message) => {
    const args = ["--check", "--levels", write("levels.json", text)];
    const { code, err } = await lock(withOperation({}), withOperation({}), ...args);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
  });
});
