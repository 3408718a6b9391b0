import type { Received } from "./received.ts";
import type { Api } from "./operation.ts";
import { toFinding, type CheckName, type Finding } from "./check.ts";

/** Judges whether a call that keeps to the document is accepted, or one that breaks it refused. */
export const judge = (
  kind: "positive" | "negative",
  check: CheckName,
  { status, json, text }: Received,
  { isFramework }: Api,
): readonly Finding[] => {
  if (kind === "negative")
    return status < 400
      ? [
          toFinding(
            check,
            `What the document forbids is accepted with ${status}.`,
            "assert.ok(response.status >= 400);",
          ),
        ]
      : [];
  const isRefused =
    status === 400 ||
    status === 415 ||
    (isFramework ? text.includes('"SLP_INPUT_INVALID"') : status === 422);
  if (!isRefused || isByFunction(json)) return [];
  return [
    toFinding(
      "positive_data_acceptance",
      `What the document allows is refused with ${status}.`,
      `assert.notEqual(response.status, ${status});`,
    ),
  ];
};

/** Whether only functions of the application refuse an input, of which no document can tell. */
const isByFunction = (json: unknown): boolean => {
  const read = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  const issues = read(read(json, "error"), "issues") ?? read(json, "issues");
  return (
    Array.isArray(issues) &&
    issues.length > 0 &&
    issues.every((one) => read(one, "code") === "custom")
  );
};
