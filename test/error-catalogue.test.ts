import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { RequestError, type RequestErrorCode } from "sallyport";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const page = readFileSync(join(root, "docs/errors.md"), "utf8");
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
  .map((file) => readFileSync(join(root, "src", file), "utf8"));

const listCodes = (text: string): string[] => text.match(/SLP_[A-Z\d]+(?:_[A-Z\d]+)*/g) ?? [];

test("each code of the source is in docs/errors.md, and each of the page in the source", () => {
  // `SLP_WARN_${string}` is a type
  const inSource = new Set(sources.flatMap(listCodes).filter((code) => code !== "SLP_WARN"));
  expect(inSource.size).toBeGreaterThan(50);
  expect([...new Set(listCodes(page))].toSorted()).toEqual([...inSource].toSorted());
});

const rows = [...page.matchAll(/^\| `(SLP_\w+)` *\| (\d{3}) *\| ([^|]+?) *\| [^|]+\| [^|]+\|$/gm)];

test("each answer of the page has the status and the text that is sent", () => {
  expect(rows.length).toBeGreaterThan(25);
  for (const [, code, status, text = ""] of rows) {
    const { statusCode, message } = new RequestError(code as RequestErrorCode);
    expect([code, String(statusCode), message]).toEqual([
      code,
      status,
      text.replace(/: its .*/, ""),
    ]);
  }
});

test("each row has a cause and a fix", () => {
  const lines = page.split("\n").filter((line) => line.startsWith("| `SLP_"));
  expect(lines.length).toBe(new Set(listCodes(page)).size);
  for (const line of lines)
    for (const cell of line.split("|").slice(2, -1)) expect(cell.trim().length).toBeGreaterThan(2);
});
