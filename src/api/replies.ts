import { z } from "zod";
import { defaults } from "../defaults.ts";
import { joinErrors, type DeclaredError } from "../endpoint/join-errors.ts";
import type { AnyEndpoint } from "../endpoint/endpoint.ts";
import type { Method } from "../http/method.ts";
import type { ApiResponse } from "../results/api-response.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import { readContent } from "../schemas/content.ts";
import type { ZodSchema } from "../schemas/schema.ts";

export interface DeclaredBody {
  /** The media type; null if there is no body. */
  readonly type: string | null;
  /** The schema that the result handler declares; undefined for content that bypasses it. */
  readonly schema?: ZodSchema | undefined;
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
  /** The declaration in `errors`, if any. */
  readonly declared: DeclaredError | undefined;
  readonly hasData: boolean;
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
    const [type = "*/*"] = content.type?.split(";", 1) ?? [];
    const bodies = [{ type: type.trim() }];
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
  const named = listNegative(resultHandler, undefined).flatMap(({ statusCode = [] }) => statusCode);
  const statuses = new Set([...errors.keys(), ...own, ...named]);
  return [...statuses].map((status) => {
    const declared = errors.get(status);
    const data = declared && toDataSchema(declared, own.has(status));
    // a server that shuts down sends 503, too
    const type = own.has(status) || status === 503 ? undefined : declared?.type;
    const all = listNegative(resultHandler, data, type);
    const exact = all.filter(({ statusCode }) => [statusCode ?? []].flat().includes(status));
    const open = all.filter(({ statusCode }) => statusCode === undefined);
    const responses = exact.length > 0 ? exact : open.length > 0 ? open : all;
    return { status, bodies: toBodies(status, responses), declared, hasData: data !== undefined };
  });
};

const negatives = new WeakMap<AnyResultHandler, WeakMap<object, readonly ApiResponse[]>>();

/** Lists the error responses of a result handler, whose schemas are created once, so that each is written once. */
const listNegative = (
  handler: AnyResultHandler,
  data: z.ZodType | undefined,
  type?: string,
): readonly ApiResponse[] => {
  if (type !== undefined) return handler.listNegative(data, type);
  const known = negatives.get(handler) ?? new WeakMap<object, readonly ApiResponse[]>();
  negatives.set(handler, known);
  const responses = known.get(data ?? handler) ?? handler.listNegative(data);
  known.set(data ?? handler, responses);
  return responses;
};

const toDataSchema = (
  { schemas, mayLackData }: DeclaredError,
  isOwn: boolean,
): z.ZodType | undefined => {
  const [first, ...others] = schemas;
  if (!first) return undefined;
  const schema = (others.length === 0 ? first : z.union(schemas)) as z.ZodType;
  return mayLackData || isOwn ? schema.optional() : schema;
};
