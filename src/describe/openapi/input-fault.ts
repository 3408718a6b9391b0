import { z } from "zod";
import type { Operation } from "../api/operation.ts";
import { RequestError, type RequestErrorCode } from "../../basics/errors.ts";
import type { ErrorAnswer } from "../../define/results/begin-error.ts";
import { toShortIssues, type ShortIssue } from "../../basics/schemas/issues.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { readTopLevel } from "../../basics/schemas/top-level-keys.ts";
import { readOptionality } from "../../basics/schemas/zod-internals.ts";

/** What is sent of a 400 that a request of an operation may get. */
export interface InputFault extends Pick<
  ErrorAnswer,
  "code" | "isOfHeaders" | "issues" | "message"
> {
  /** Whether the body is at fault. */
  readonly isInBody: boolean;
}

interface Field {
  readonly name: string;
  readonly schema: ZodSchema;
  readonly place: "body" | "header" | "path" | "text";
}

const malformed: Readonly<Partial<Record<Operation["body"]["kind"], RequestErrorCode>>> = {
  json: "SLP_BODY_MALFORMED_JSON",
  form: "SLP_BODY_MALFORMED_FORM",
  files: "SLP_UPLOAD_MALFORMED",
};

/**
 * Returns what is sent if a field of the input is invalid: first, one that is required and missing. If no value of a field
 * is known to be invalid, it is what is sent if the body is malformed; undefined if there is no body.
 */
export const findInputFault = (operation: Operation): InputFault | undefined => {
  const fields = listFields(operation);
  for (const isMissing of [true, false])
    for (const field of fields) {
      const issue = findIssue(field, isMissing, operation);
      if (issue) return toFault(issue, field.place);
    }
  const code = operation.hasBody ? malformed[operation.body.kind] : undefined;
  return code && { code, message: new RequestError(code).message, isInBody: false };
};

const listFields = (operation: Operation): readonly Field[] => {
  const locate = (name: string): Field["place"] => {
    const location = operation.locate(name);
    return location === "body" || location === "path" ? location : "text";
  };
  return [
    ...operation.inputs.flatMap((schema) =>
      Array.from(readTopLevel(schema).fields, ([name, field]) => ({
        ...{ name, schema: field, place: locate(name) },
      })),
    ),
    ...operation.headers.flatMap((schema) =>
      Array.from(readTopLevel(schema).fields, ([name, field]) => ({
        ...{ name, schema: field, place: "header" as const },
      })),
    ),
  ];
};

const findIssue = (
  { name, schema, place }: Field,
  isMissing: boolean,
  { body }: Operation,
): ShortIssue | undefined => {
  // any bytes are a raw body
  if (body.kind === "raw" && name === "raw") return undefined;
  // a request without a path parameter has another path
  if (isMissing && (place === "path" || readOptionality(schema, "input"))) return undefined;
  const invalid = place === "body" && body.kind === "json" ? null : "?";
  try {
    const { error } = z.safeParse(schema, isMissing ? undefined : invalid);
    const [issue] = error ? toShortIssues(error.issues) : [];
    const path = place === "header" ? ["headers", name] : [name];
    return issue && { ...issue, path: [...path, ...issue.path] };
  } catch {
    // a schema that is asynchronous, or whose functions expect other values, tells nothing here
    return undefined;
  }
};

const toFault = (issue: ShortIssue, place: Field["place"]): InputFault => ({
  message: `${z.core.toDotPath(issue.path)}: ${issue.message}`,
  code: "SLP_INPUT_INVALID",
  issues: [issue],
  isOfHeaders: place === "header",
  isInBody: place === "body",
});
