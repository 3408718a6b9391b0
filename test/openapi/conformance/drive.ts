import type { JsonObject } from "sallyport/openapi";
import { send } from "../../http/harness.ts";
import type { Operation } from "../generate.ts";
import { Checker } from "./checker.ts";
import { Random } from "./random.ts";
import { draftRequest, mutate, writeRequest } from "./requests.ts";
import { Values } from "./values.ts";

/** The options for `drive`. */
export interface Drive {
  readonly port: number;
  readonly document: { readonly paths: JsonObject; readonly [key: string]: unknown };
  readonly calls: number;
  readonly seed?: number;
  /** The secret in the client's credentials. */
  readonly secret: string;
  /** Checks whether valid requests to a path may be rejected, because the server checks more than the schemas say. */
  readonly isLenient?: (path: string) => boolean;
  /** Checks whether an invalid request to a path may be accepted, because the server replaces or drops invalid values. */
  readonly isForgiving?: (path: string, mutation: string | undefined) => boolean;
  readonly only?: (at: string) => boolean;
}

/** The outcome of `drive`. */
export interface Driven {
  readonly calls: number;
  readonly accepted: number;
  readonly refused: number;
  readonly violations: readonly string[];
  /** Each operation with each status that it responded with, such as `get /users 200`. */
  readonly statuses: ReadonlySet<string>;
}

const never = (): boolean => false;

/**
 * Sends a server requests that its document allows, and invalid ones, and checks all requests and
 * responses against the document.
 */
export const drive = async (options: Drive): Promise<Driven> => {
  const {
    port,
    document,
    calls,
    seed = 1,
    secret,
    isLenient = never,
    isForgiving = never,
    only,
  } = options;
  const random = new Random(seed);
  const values = new Values(document, random);
  const checker = new Checker(document);
  const { components = {} } = document as {
    readonly components?: Record<string, Record<string, JsonObject>>;
  };
  const schemes = components["securitySchemes"] ?? {};
  const operations = Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
        path,
        method,
        operation,
      })),
    )
    .filter(({ path, method }) => only?.(`${method} ${path}`) ?? true);
  const violations: string[] = [];
  const statuses = new Set<string>();
  const counts = { accepted: 0, refused: 0 };
  for (let call = 0; call < calls; call++) {
    const { path, method, operation } = operations[
      call % operations.length
    ] as (typeof operations)[number];
    const draft = draftRequest(operation, values, random);
    if (random.chance(0.5)) mutate(draft, operation, random);
    const { target, headers, body } = writeRequest(draft, path, operation, schemes, secret);
    const answer = await send(port, target, {
      method: method.toUpperCase(),
      headers,
      ...(body !== undefined && { body }),
    });
    const isAccepted = answer.status < 300;
    if (isAccepted && answer.headers["content-type"]?.includes("json")) values.learn(answer.text);
    counts[isAccepted ? "accepted" : "refused"]++;
    statuses.add(`${method} ${path} ${answer.status}`);
    const isWronglyRefused =
      draft.mutation === undefined &&
      [400, 401, 415, 500].includes(answer.status) &&
      !isLenient(path);
    const wrong =
      checker.checkAnswer(operation, answer) ??
      (isAccepted && !isForgiving(path, draft.mutation)
        ? checker.checkRequest(operation, draft)
        : undefined) ??
      (isWronglyRefused
        ? `a valid request was answered with ${answer.status}: ${answer.text}`
        : undefined);
    if (wrong !== undefined)
      violations.push(
        `${method.toUpperCase()} ${target} (${draft.mutation ?? "valid"}) ${String(body ?? "")}: ${wrong}`,
      );
  }
  return { calls, ...counts, violations, statuses };
};
