import { z } from "zod";
import { joinErrors, type DeclaredError } from "../endpoint/declared-errors.ts";
import type { ApiResponse } from "../results/api-response.ts";
import { defaultResultHandler } from "../results/default-result-handler.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { listInputSchemas, type OperationPlace } from "./operation-place.ts";

/** The statuses whose responses have no body. */
export const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** A status with its responses. */
export type StatusResponses = readonly [status: number, responses: readonly ApiResponse[]];

const anyOutput = (): z.ZodType => z.record(z.string(), z.unknown());

/** Lists the success responses that a result handler declares, by status. */
export const listSuccessResponses = ({
  endpoint: { outputSchema, resultHandler, statusCode },
}: OperationPlace): readonly StatusResponses[] =>
  groupByStatus(
    resultHandler.listPositive((outputSchema ?? anyOutput()) as z.ZodType),
    statusCode ?? 200,
  );

const groupByStatus = (
  responses: readonly ApiResponse[],
  preset: number,
): readonly (readonly [number, readonly ApiResponse[]])[] => {
  const groups = new Map<number, ApiResponse[]>();
  for (const response of responses)
    for (const status of [response.statusCode ?? preset].flat())
      groups.set(status, [...(groups.get(status) ?? []), response]);
  return [...groups];
};

/** An error response that an operation may have. */
export interface ErrorResponses {
  readonly status: number;
  readonly responses: readonly ApiResponse[];
  readonly declared: DeclaredError | undefined;
  /** Whether the body can carry data. */
  readonly hasData: boolean;
}

/** Lists the error responses of a result handler. */
export type ListNegative = (
  handler: AnyResultHandler,
  data: z.ZodType | undefined,
) => readonly ApiResponse[];

/** Lists the error responses that an operation may have. */
export const listErrorResponses = (
  place: OperationPlace,
  listNegative: ListNegative,
): readonly ErrorResponses[] => {
  const { resultHandler } = place.endpoint;
  const errors = joinErrors(place.endpoint);
  const own = listOwnStatuses(place);
  const named = listNegative(resultHandler, undefined).flatMap(({ statusCode = [] }) => statusCode);
  const statuses = new Set([...errors.keys(), ...own.keys(), ...named]);
  return [...statuses].map((status) => {
    const declared = errors.get(status);
    const data = declared && toDataSchema(declared, own.has(status));
    const handlers = own.get(status) ?? [resultHandler];
    const responses = handlers.flatMap((handler) => {
      const all = listNegative(handler, data);
      const exact = all.filter(({ statusCode }) => [statusCode ?? []].flat().includes(status));
      const open = all.filter(({ statusCode }) => statusCode === undefined);
      return exact.length > 0 ? exact : open.length > 0 ? open : all;
    });
    return { status, responses, declared, hasData: data !== undefined };
  });
};

/** Lists the statuses that the framework itself sends, with their result handlers. */
const listOwnStatuses = (
  place: OperationPlace,
): ReadonlyMap<number, readonly AnyResultHandler[]> => {
  const { endpoint, config, sources } = place;
  const { resultHandler } = endpoint;
  const { errorHandler = defaultResultHandler, requestTimeout = 0 } = config;
  const early = resultHandler === defaultResultHandler ? errorHandler : resultHandler;
  const hasBody = sources.includes("body");
  const hasInput = listInputSchemas(endpoint).length > 0;
  const hasTimeout = (endpoint.timeout ?? requestTimeout) > 0;
  const hasSecurity = endpoint.middlewares.some(({ security }) => security);
  const isLocated = place.path.includes(":") || place.path.includes("*");
  const wrong = [...(hasInput ? [resultHandler] : []), ...(hasBody || isLocated ? [early] : [])];
  return new Map<number, readonly AnyResultHandler[]>([
    ...(wrong.length > 0 ? [[400, [...new Set(wrong)]] as const] : []),
    ...(hasSecurity ? [[401, [resultHandler]] as const] : []),
    ...(hasBody
      ? ([
          [413, [early]],
          [415, [early]],
        ] as const)
      : []),
    [500, [resultHandler]],
    ...(hasTimeout ? [[503, [resultHandler]] as const] : []),
  ]);
};

const dataSchemas = new WeakMap<ZodSchema, { required?: z.ZodType; optional?: z.ZodType }>();

/** Returns the schema of an error's data, which is created once so that it is written once. */
const toDataSchema = (
  { schemas, mayLackData }: DeclaredError,
  isOwn: boolean,
): z.ZodType | undefined => {
  const [first] = schemas;
  if (!first) return undefined;
  const mayLack = mayLackData || isOwn;
  const kind = mayLack ? "optional" : "required";
  const known = dataSchemas.get(first);
  if (schemas.length === 1 && known?.[kind]) return known[kind];
  const schema = (schemas.length === 1 ? first : z.union(schemas)) as z.ZodType;
  const made = mayLack ? schema.optional() : schema;
  if (schemas.length === 1) dataSchemas.set(first, { ...known, [kind]: made });
  return made;
};
