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

const rows = [...page.matchAll(/^\| `(SLP_\w+)` *\| (\d{3}) *\| ([^|]+?) *\| [^|]+\| [^|]+\|$/gm)];

test("each response in docs/errors.md has the status and message that are sent", () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const [, code, status, text = ""] of rows) {
    const { statusCode, message } = new RequestError(code as RequestErrorCode);
    expect([code, String(statusCode), message]).toEqual([
      code,
      status,
      text.replace(/: _field_$/, ""),
    ]);
  }
});

test("each row in docs/errors.md has a cause and a fix", () => {
  const lines = page.split("\n").filter((line) => line.startsWith("| `SLP_"));
  expect(lines.length).toBe(new Set(listCodes(page)).size);
  for (const line of lines)
    for (const cell of line.split("|").slice(2, -1)) expect(cell.trim().length).toBeGreaterThan(2);
});
