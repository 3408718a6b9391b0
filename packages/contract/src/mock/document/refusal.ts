import { STATUS_CODES } from "node:http";
import {
  accepts,
  isObject,
  toView,
  type Json,
  type Operation,
  type Response,
  type Schema,
} from "@sallyport/document";
import { makeValue } from "../make-value.ts";
import { listValidExamples } from "./choose-value.ts";
import { negotiate } from "./media-types.ts";
import type { InputProblem, MockRequest, Reply } from "./request.ts";
import { writeBody } from "./write-body.ts";
import { writeFields } from "./write-fields.ts";

/** Why a mock does not answer as it is asked to. */
export interface Refusal {
  /** The first one that the operation declares is sent, or else the first one. */
  readonly statuses: readonly [number, ...number[]];
  readonly detail: string;
  readonly problems?: readonly InputProblem[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a call with a refusal. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

/** Finds the response of a status, which may stand for a range of them, or for all others. */
export const findResponse = ({ responses }: Operation, status: number): Response | undefined =>
  responses[String(status)] ?? responses[`${String(status)[0]}XX`] ?? responses["default"];

export const describeProblems = (problems: readonly InputProblem[]): string =>
  problems
    .map(({ in: place, name, message }) => `${[place, name].filter(Boolean).join(" ")} ${message}`)
    .join("; ");

/** Refuses a request: with the error that the document declares for that, or else with problem details (RFC 9457). */
export const refuse = (
  { statuses, detail, problems, headers }: Refusal,
  operation?: Operation,
  request?: MockRequest,
): Reply => {
  const [first] = statuses;
  const status = statuses.find((one) => operation?.responses[String(one)] !== undefined) ?? first;
  const response = operation && findResponse(operation, status);
  const own =
    response && request && status < 500 && hasNoBody(operation, status)
      ? { headers: writeFields(response, detail) }
      : response && request && writeDeclared(response, detail, request);
  const more = { ...own?.headers, ...headers, "mock-problem": toAscii(detail) };
  if (own) return { ...own, status, headers: more };
  return {
    status,
    headers: { ...more, "content-type": "application/problem+json" },
    body: JSON.stringify({
      ...{ type: "about:blank", title: STATUS_CODES[status], status, detail },
      ...(problems && { errors: problems }),
    }),
  };
};

/** Whether the document declares an error of the client, and no content for it. */
const hasNoBody = ({ responses }: Operation, status: number): boolean => {
  const response = responses[String(status)] ?? responses["4XX"];
  return response !== undefined && Object.keys(response.content).length === 0;
};

const toAscii = (text: string): string => text.replaceAll(/[^\u0020-\u007e]/g, "?").slice(0, 2000);

const writeDeclared = (
  response: Response,
  detail: string,
  request: MockRequest,
): Omit<Reply, "status"> | undefined => {
  const types = Object.keys(response.content);
  const chosen = negotiate(types, request.headers["accept"]) ?? negotiate(types, undefined);
  const media = chosen && response.content[chosen.declared];
  if (!chosen || !media?.schema) return undefined;
  const schema = toView(media.schema, "response");
  try {
    const [shown] = listValidExamples(media).values();
    const value = tell(schema, shown ?? makeValue(schema, detail), detail);
    return {
      headers: { ...writeFields(response, detail), "content-type": chosen.type },
      body: writeBody(chosen.type, value, schema),
    };
  } catch {
    // the error cannot be made as it is declared
    return undefined;
  }
};

const places = [
  "detail",
  "message",
  "description",
  "error_description",
  "error",
  "title",
  "reason",
];

/** Says what is wrong in the field of an error that is for that, if it has such a field. */
const tell = (schema: Schema, value: Json, text: string): Json => {
  if (!isObject(value)) return value;
  const replacements = places.flatMap((name): Json[] => {
    if (typeof value[name] === "string") return [{ ...value, [name]: text }];
    const inner = value[name];
    const at = isObject(inner) && places.find((key) => typeof inner[key] === "string");
    return at ? [{ ...value, [name]: { ...inner, [at]: text } }] : [];
  });
  return replacements.find((one) => accepts(schema, one)) ?? value;
};
