import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RequestError, type RequestErrorCode } from "sallyport";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(join(root, "docs/errors.md"), "utf8");
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, "src", file), "utf8") }));

const listCodes = (text: string): string[] => text.match(/SLP_[A-Z\d]+(?:_[A-Z\d]+)*/g) ?? [];

/** Returns the codes that are thrown or logged; `errors.ts` only declares codes. */
const listUsed = (): string[] => {
  const used = sources.flatMap(({ file, text }) =>
    file === "errors.ts" ? [] : listCodes(text.replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "")),
  );
  // `SLP_WARN_${string}` is a type, not a code
  return [...new Set(used)].filter((code) => code !== "SLP_WARN").toSorted();
};

test("each code in use is in docs/errors.md, and each code on that page is in use", () => {
  const used = listUsed();
  expect(used.length).toBeGreaterThan(50);
  expect([...new Set(listCodes(page))].toSorted()).toEqual(used);
});

test("each code declared in errors.ts is used", () => {
  const declared = sources.flatMap(({ file, text }) =>
    file === "errors.ts" ? listCodes(text) : [],
  );
  const used = new Set(listUsed());
  expect([...new Set(declared)].filter((code) => !used.has(code))).toEqual([]);
});

const toPoint = (point: string): [name: string, text: string] => {
  const [name = "", ...text] = point.trim().replaceAll(/\s+/g, " ").split(": ");
  return [name, text.join(": ")];
};

/** The sections of docs/errors.md by code, each with its points by name: `Response`, `When`, `Cause` and `Fix`. */
const sections = page
  .split(/^##+ /m)
  .filter((section) => section.startsWith("SLP_"))
  .map((section) => {
    const [code = "", ...points] = section.split(/\n+- /);
    return { code, points: new Map(points.map((point) => toPoint(point))) };
  });

test("each code has one heading in docs/errors.md", () => {
  expect(sections.map(({ code }) => code).toSorted()).toEqual(listUsed());
});

test("each response in docs/errors.md has the status and message that are sent", () => {
  const responses = sections.flatMap(({ code, points }) => {
    const [, status, message] = /^(\d{3}) (.+)$/.exec(points.get("Response") ?? "") ?? [];
    return message === undefined ? [] : [[code, status, message.replace(/: _field_$/, "")]];
  });
  expect(responses.length).toBeGreaterThan(25);
  for (const [code, status, text] of responses) {
    const { statusCode, message } = new RequestError(code as RequestErrorCode);
    expect([code, String(statusCode), message]).toEqual([code, status, text]);
  }
});

test("each code in docs/errors.md has a cause and a fix", () => {
  for (const { points } of sections)
    for (const name of ["Cause", "Fix"]) expect(points.get(name)?.length).toBeGreaterThan(2);
});
