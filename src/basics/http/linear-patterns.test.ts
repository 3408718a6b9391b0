import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { isSafe } from "redos-detector";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The patterns that may take more than linear time, each with the reason why this is harmless. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ["/^([A-Za-z]+)\\s+(.*)$/s", "reads the keys of a routing map, which the application defines"],
  [
    "/^application\\/(?:[^;]*\\+)?json *(?:;|$)/i",
    "reads the application's responses in its own tests",
  ],
  ["/^text\\/|[/+](?:json|xml) *(?:;|$)/i", "reads media types that the application declares"],
  [
    "/[( ](file:\\/\\/.+?|\\/.+?):(\\d+):\\d+\\)?$/",
    "reads the lines of the application's stack traces, on the command line",
  ],
]);

interface Found {
  readonly literals: ReadonlyMap<string, RegExp>;
  readonly dynamic: readonly string[];
}

const findPatterns = (): Found => {
  const literals = new Map<string, RegExp>();
  const made: string[] = [];
  for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /\.test(?:-d)?\.ts$/.test(file)) continue;
    const text = readFileSync(`${root}${file}`, "utf8");
    const noteCall = (call: { callee: object; start: number; end: number }): void => {
      if ("name" in call.callee && call.callee.name === "RegExp")
        made.push(text.slice(call.start, call.end));
    };
    new Visitor({
      Literal: (node) => {
        if ("regex" in node)
          literals.set(
            text.slice(node.start, node.end),
            // a sticky pattern can match only at one position
            new RegExp(
              node.regex.flags.includes("y") ? `^(?:${node.regex.pattern})` : node.regex.pattern,
              node.regex.flags.replace("y", ""),
            ),
          );
      },
      NewExpression: noteCall,
      CallExpression: noteCall,
    }).visit(parseSync(file, text).program);
  }
  return { literals, dynamic: made };
};

const found = findPatterns();

test("each pattern takes linear time for any input", () => {
  expect(found.literals.size).toBeGreaterThan(20);
  const slow = [...found.literals].filter(([, pattern]) => !isSafe(pattern).safe);
  expect(slow.map(([literal]) => literal).toSorted()).toEqual([...exceptions.keys()].toSorted());
});

test("every pattern is a regular expression literal, so that it can be checked", () => {
  // a pattern of the application, whose syntax is checked, and which is not used
  expect(found.dynamic).toEqual(['new RegExp(source, "u")']);
});
