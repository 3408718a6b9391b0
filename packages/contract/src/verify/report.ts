import type { StatusTable } from "./coverage.ts";
import { responseChecks } from "./check.ts";
import type { VerifyResult } from "./verify-result.ts";

type Result = Omit<VerifyResult, "text">;

/** Writes what was found for people. */
export const toVerifyText = (result: Result): string => {
  const { failures, table, checks, skipped, notes, seed, calls } = result;
  const sections = [
    ...failures.map(
      ({ operation, check, message, label, curl, test }) =>
        `${operation}: ${check}\n  ${message}${label ? `\n  Shown by ${label}:` : ""}\n  ${curl}\n${indent(test)}`,
    ),
    ...(skipped.length > 0
      ? [["Left out:", ...skipped.map(({ name, reason }) => `  ${name}: ${reason}`)].join("\n")]
      : []),
    ...(notes.length > 0 ? [["Not checked:", ...notes.map((one) => `  ${one}`)].join("\n")] : []),
    `Statuses by operation, each with how often it was seen:\n${toTableText(table)}`,
    `Checks by operation, each with how often it was made:\n${toCheckText(checks)}`,
    `${failures.length === 0 ? "No failures" : `Failures: ${failures.length}`}; operations: ${table.length}; requests: ${calls}; seed: ${seed}`,
  ];
  return `${sections.join("\n\n")}\n`;
};

const indent = (text: string): string => text.replaceAll(/^/gm, "  ");

/** Writes the table of operations by status, and why some may not have been seen. */
export const toTableText = (table: StatusTable): string => {
  const width = Math.max(0, ...table.map(({ operation }) => operation.length));
  const rows = table.map(({ operation, statuses }) => {
    const cells = statuses.map(({ status, declared, seen }) => {
      if (!declared) return `${status} ×${seen} (not declared)`;
      return seen > 0 ? `${status} ×${seen}` : `${status} not seen`;
    });
    return `  ${operation.padEnd(width)}  ${cells.join(", ")}`;
  });
  const notes = table.flatMap(({ statuses }) =>
    statuses.flatMap(({ status, note }) => (note === undefined ? [] : [`  ${status}: ${note}`])),
  );
  return [...rows, ...new Set(notes.toSorted())].join("\n");
};

const toCheckText = (checks: Result["checks"]): string =>
  [...new Set(checks.map(({ operation }) => operation))]
    .map((operation) => {
      const own = checks.filter((one) => one.operation === operation);
      const isEach = (check: string, failures: number): boolean =>
        failures === 0 && responseChecks.some((one) => one === check);
      const replies = own.find(({ check }) => check === "not_a_server_error")?.count ?? 0;
      const others = own.filter(({ check, failures }) => !isEach(check, failures));
      return `  ${operation}  replies ×${replies}, ${others.map(({ check, count, failures }) => `${check} ×${count}${failures > 0 ? " FAILED" : ""}`).join(", ")}`;
    })
    .join("\n");

const escape = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    // characters that XML cannot contain
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");

/** Writes what was found as a JUnit report, with a test case for each check of an operation. */
export const toVerifyJUnit = ({ failures, checks, skipped }: Result): string => {
  const cases = checks.map(({ operation, check }) => {
    const own = failures.filter((one) => one.operation === operation && one.check === check);
    const inner = own.map(
      ({ message, curl }) =>
        `\n      <failure message="${escape(message)}">${escape(curl)}</failure>`,
    );
    const head = `    <testcase classname="${escape(operation)}" name="${check}"`;
    return own.length === 0 ? `${head}/>` : `${head}>${inner.join("")}\n    </testcase>`;
  });
  const left = skipped.map(
    ({ name, reason }) =>
      `    <testcase classname="${escape(name)}" name="skipped">\n      <skipped message="${escape(reason)}"/>\n    </testcase>`,
  );
  const failed = checks.filter((one) => one.failures > 0).length;
  const counts = `tests="${cases.length + left.length}" failures="${failed}" skipped="${left.length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name="sallyport verify" ${counts}>\n${[...cases, ...left].join("\n")}\n  </testsuite>\n</testsuites>\n`;
};
