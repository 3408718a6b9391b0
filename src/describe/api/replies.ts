import { z } from "zod";
import { defaults } from "../../basics/defaults.ts";
import {
  joinErrors,
  type DeclaredErrors,
  type ErrorKind,
} from "../../define/endpoint/join-errors.ts";
import type { AnyEndpoint } from "../../define/endpoint/endpoint.ts";
import type { Method } from "../../basics/http/method.ts";
import type { ApiResponse } from "../../define/results/api-response.ts";
import type { AnyResultHandler } from "../../define/results/result-handler.ts";
import { readContent } from "../../basics/schemas/content.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { capitalise, toWords } from "./words.ts";

export interface DeclaredBody {
  /** The media type; null if there is no body. */
  readonly type: string | null;
  /** The schema that the result handler declares; undefined for content that bypasses it. */
  readonly schema?: ZodSchema | undefined;
  /** What an error without data, or one that is declared under a name, is called in documents and clients. */
  readonly name?: string | undefined;
  /** What is declared of the error. */
  readonly kind?: ErrorKind | undefined;
}

/** Everything that an operation may send with one status. */
export interface DeclaredReply {
  readonly status: number;
  readonly bodies: readonly DeclaredBody[];
  /** Whether only conditional requests, as caches send them, get this reply. */
  readonly isConditional?: boolean;
  /** The description of the only response with this status. */
  readonly description?: string | undefined;
}

/** Everything that an operation may send with the status of an error. */
export interface DeclaredErrorReply extends DeclaredReply {
  /** The declarations in `errors`, if any. */
  readonly declared: DeclaredErrors | undefined;
  /** Whether bodies differ from those of undeclared errors. */
  readonly isSpecific: boolean;
}

export const isJson = (type: string): boolean => /\bjson\b/i.test(type);
export const isEventStream = (type: string): boolean => /^text\/event-stream\b/i.test(type);

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

const toBodies = (status: number, responses: readonly ApiResponse[]): readonly DeclaredBody[] =>
  withoutBody.has(status)
    ? [{ type: null }]
    : responses.flatMap(({ schema, mimeType = defaults.apiResponse.mimeType }) =>
        [mimeType].flat().map((type) => ({ type, schema: schema as ZodSchema })),
      );

const anyOutput = (): z.ZodType => z.record(z.string(), z.unknown());

export const listSuccesses = (endpoint: AnyEndpoint): readonly DeclaredReply[] => {
  const { outputSchema, resultHandler, statusCode: preset = 200 } = endpoint;
  const content = outputSchema && readContent(outputSchema);
  if (content) {
    const bodies = content.types.map((one) => ({ type: one.replace(/;.*/s, "").trim() }));
    const whole = { status: preset, bodies };
    if (content.kind !== "file") return [whole];
    return [whole, { status: 206, bodies }, { status: 304, bodies: [], isConditional: true }];
  }
  const groups = new Map<number, ApiResponse[]>();
  for (const response of resultHandler.listPositive((outputSchema ?? anyOutput()) as z.ZodType))
    for (const status of [response.statusCode ?? preset].flat())
      groups.set(status, [...(groups.get(status) ?? []), response]);
  return [...groups].map(([status, responses]) => {
    const [{ schema } = {}, other] = responses;
    const described = other ? undefined : ((outputSchema ?? schema) as z.ZodType | undefined);
    return {
      status,
      bodies: toBodies(status, responses),
      description: described && z.globalRegistry.get(described)?.description,
    };
  });
};

/** @param own the statuses of the errors that the framework itself sends */
export const listErrors = (
  endpoint: AnyEndpoint,
  own: ReadonlySet<number>,
  method: Method,
): readonly DeclaredErrorReply[] => {
  const { resultHandler } = endpoint;
  const errors = joinErrors(endpoint, method);
  const named = listNegative(resultHandler, anyKind).flatMap(({ statusCode = [] }) => statusCode);
  const statuses = new Set([...errors.keys(), ...own, ...named]);
  return [...statuses].map((status) => {
    const declared = errors.get(status);
    // a server that shuts down sends 503, too
    const kinds = toKinds(declared?.kinds ?? [], own.has(status) || status === 503);
    const bodies = kinds.flatMap((kind) => {
      const all = listNegative(resultHandler, kind);
      const exact = all.filter(({ statusCode }) => [statusCode ?? []].flat().includes(status));
      const open = all.filter(({ statusCode }) => statusCode === undefined);
      const responses = exact.length > 0 ? exact : open.length > 0 ? open : all;
      return toBodies(status, responses).map((body) => ({
        ...body,
        kind,
        name: toName(kind, body),
      }));
    });
    const isSpecific = kinds.some(({ schemas, code }) => schemas.length > 0 || code !== undefined);
    return { status, bodies, declared, isSpecific };
  });
};

const toName = ({ code, schemas }: ErrorKind, { type }: DeclaredBody): string | undefined => {
  if (code === undefined && schemas.length > 0) return undefined;
  const kind = type?.includes("problem") === true ? "Problem" : "";
  if (code === undefined) return kind || "Error";
  const own = code.startsWith("SLP_") ? code.slice("SLP_".length).toLowerCase() : code;
  return toWords(own).map(capitalise).join("") + kind;
};

/** An error about which nothing is declared. */
const anyKind: ErrorKind = { schemas: [], mayLackData: true };

/** Adds the errors that the framework sends with the same status; `isOwn` says whether there are any. */
const toKinds = (kinds: readonly ErrorKind[], isOwn: boolean): readonly ErrorKind[] => {
  if (kinds.length === 0) return [anyKind];
  if (!isOwn) return kinds;
  const plain = kinds.findIndex(({ code }) => code === undefined);
  if (plain < 0) return [anyKind, ...kinds];
  const open = { type: undefined, mayLackData: true };
  return kinds.map((kind, at) => (at === plain ? { ...kind, ...open } : kind));
};

const negatives = new WeakMap<AnyResultHandler, WeakMap<object, Map<string, Negative>>>();
type Negative = readonly ApiResponse[];

/** Lists the error responses of a result handler, whose schemas are created once, so that each is written once. */
const listNegative = (handler: AnyResultHandler, kind: ErrorKind): Negative => {
  const data = toDataSchema(kind);
  const { type, code } = kind;
  const ofHandler = negatives.get(handler) ?? new WeakMap<object, Map<string, Negative>>();
  negatives.set(handler, ofHandler);
  const known = ofHandler.get(data ?? handler) ?? new Map<string, Negative>();
  ofHandler.set(data ?? handler, known);
  const key = `${code} ${type}`;
  const responses = known.get(key) ?? handler.listNegative(data, type, code);
  known.set(key, responses);
  return responses;
};

const toDataSchema = ({ schemas, mayLackData }: ErrorKind): z.ZodType | undefined => {
  const [first, ...others] = schemas;
  if (!first) return undefined;
  const schema = (others.length === 0 ? first : z.union(schemas)) as z.ZodType;
  return mayLackData ? schema.optional() : schema;
};
