import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { toFreeName } from "../api/operation-ids.ts";
import type { DeclaredErrorReply } from "../api/replies.ts";
import type { ErrorKind } from "../endpoint/join-errors.ts";
import { isRequestErrorCode, RequestError, type RequestErrorCode } from "../errors.ts";
import { toStatusText } from "../http/status.ts";
import type { ErrorAnswer } from "../results/begin-error.ts";
import { findErrorWriter } from "../results/error-bodies.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { readOptionality } from "../schemas/zod-internals.ts";
import { isObject, mapValues } from "./map-json.ts";
import type { JsonObject } from "./options.ts";

/** The usual errors of the framework, by the status under which documents list them. */
const usual: Readonly<Record<number, RequestErrorCode>> = {
  413: "SLP_BODY_TOO_LARGE",
  415: "SLP_BODY_CONTENT_TYPE",
  503: "SLP_HANDLER_TIMEOUT",
};

const issue = {
  path: ["name"],
  message: "Invalid input: expected string, received undefined",
  code: "invalid_type",
};

/** Adds to each media type of an error's content the bodies that the ready-made result handlers send. */
export const addExamples = (
  content: JsonObject,
  { status, bodies }: DeclaredErrorReply,
  hasBody: boolean,
): JsonObject =>
  mapValues(content, (media, type) => {
    const examples: Record<string, { readonly value: unknown }> = {};
    for (const { type: own, schema, kind } of bodies) {
      const write = own === type && schema && findErrorWriter(schema);
      const answer = write && kind && toAnswer(status, kind);
      if (!answer) continue;
      const name = toFreeName(answer.code ?? "error", (one) => Object.hasOwn(examples, one));
      examples[name] = { value: write(answer, hasBody) };
    }
    const [first, ...others] = Object.values(examples);
    if (!first || !isObject(media)) return media;
    return others.length > 0 ? { ...media, examples } : { ...media, example: first.value };
  });

/** Returns what is sent of an error; undefined if it needs data of which there is no example. */
const toAnswer = (status: number, kind: ErrorKind): ErrorAnswer | undefined => {
  const { code, description, schemas, mayLackData } = kind;
  const data = schemas.map(findExample).find((one) => one !== undefined);
  const needsData =
    !mayLackData && schemas.some((schema) => readOptionality(schema, "output") !== "optional");
  if (data === undefined && needsData) return undefined;
  const answer = { status, data, problem: kind, isPublic: status < 500 };
  if (description === undefined && status === 400)
    return {
      ...answer,
      message: `${issue.path.join(".")}: ${issue.message}`,
      code: "SLP_INPUT_INVALID",
      issues: [issue],
    };
  const own = code ?? (description === undefined ? usual[status] : undefined);
  if (own !== undefined && isRequestErrorCode(own))
    return { ...answer, code: own, message: new RequestError(own).message };
  // the messages of faults are not sent in production
  const message = status < 500 ? description : undefined;
  return { ...answer, code, message: message ?? toStatusText(status) };
};

/** Returns an example of a schema, unless the schema rejects or changes it. */
const findExample = (schema: ZodSchema): unknown => {
  const { examples } = Object(z.globalRegistry.get(schema as z.ZodType)) as {
    readonly examples?: readonly unknown[];
  };
  return examples?.find((example) => {
    try {
      return isDeepStrictEqual(z.safeParse(schema, example).data, example);
    } catch {
      // a schema that is asynchronous checks nothing here
      return false;
    }
  });
};
