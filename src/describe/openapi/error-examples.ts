import type { Operation } from "../api/operation.ts";
import { toFreeName } from "../api/operation-ids.ts";
import type { DeclaredErrorReply } from "../api/replies.ts";
import type { ErrorKind } from "../../define/endpoint/join-errors.ts";
import { isRequestErrorCode, RequestError, type RequestErrorCode } from "../../basics/errors.ts";
import { toStatusText } from "../../basics/http/status.ts";
import type { ErrorAnswer } from "../../define/results/begin-error.ts";
import { findErrorWriter } from "../../define/results/error-bodies.ts";
import { readOptionality } from "../../basics/schemas/zod-internals.ts";
import { findExample } from "./find-example.ts";
import { findInputFault, type InputFault } from "./input-fault.ts";
import { isObject, mapValues } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

/** The usual errors of the framework, by the status under which documents list them. */
const usual: Readonly<Record<number, RequestErrorCode>> = {
  413: "SLP_BODY_TOO_LARGE",
  415: "SLP_BODY_CONTENT_TYPE",
  503: "SLP_HANDLER_TIMEOUT",
};

const ofFiles: typeof usual = { ...usual, 413: "SLP_UPLOAD_TOO_LARGE" };

/** Adds to each media type of an error's content the bodies that the ready-made result handlers send. */
export const addExamples = (
  content: JsonObject,
  { status, bodies }: DeclaredErrorReply,
  operation: Operation,
): JsonObject => {
  const fault = status === 400 ? findInputFault(operation) : undefined;
  const codes = operation.hasBody && operation.body.kind === "files" ? ofFiles : usual;
  return mapValues(content, (media, type) => {
    const examples: Record<string, { readonly value: unknown }> = {};
    for (const { type: own, schema, kind } of bodies) {
      const write = own === type && schema && findErrorWriter(schema);
      const answer = write && kind && toAnswer(status, kind, fault, codes[status]);
      if (!answer) continue;
      const name = toFreeName(answer.code ?? "error", (one) => Object.hasOwn(examples, one));
      examples[name] = { value: write(answer, fault?.isInBody === true) };
    }
    const [first, ...others] = Object.values(examples);
    if (!first || !isObject(media)) return media;
    return others.length > 0 ? { ...media, examples } : { ...media, example: first.value };
  });
};

/** Checks whether the examples of an undeclared error are those of one operation. */
export const hasOwnExamples = (status: number, { hasBody, body }: Operation): boolean =>
  status === 400 || (status === 413 && hasBody && body.kind === "files");

/**
 * Returns what is sent of an error; undefined if it needs data of which there is no example.
 *
 * @param fault what is sent of an invalid input
 * @param usualCode the code of the usual error of the framework with this status
 */
const toAnswer = (
  status: number,
  kind: ErrorKind,
  fault: InputFault | undefined,
  usualCode: RequestErrorCode | undefined,
): ErrorAnswer | undefined => {
  const { code, description, schemas, mayLackData } = kind;
  const data = schemas.map(findExample).find((one) => one !== undefined);
  const needsData =
    !mayLackData && schemas.some((schema) => readOptionality(schema, "output") !== "optional");
  if (data === undefined && needsData) return undefined;
  const answer = { status, data, problem: kind, isPublic: status < 500 };
  if (description === undefined && status === 400) return fault && { ...answer, ...fault };
  const own = code ?? (description === undefined ? usualCode : undefined);
  if (own !== undefined && isRequestErrorCode(own))
    return { ...answer, code: own, message: new RequestError(own).message };
  // the messages of faults are not sent in production
  const message = status < 500 ? description : undefined;
  return { ...answer, code, message: message ?? toStatusText(status) };
};
