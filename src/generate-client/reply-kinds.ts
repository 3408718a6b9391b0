import type { BodyKind } from "../client/call-options.ts";
import { readKind } from "../client/read-reply.ts";
import {
  listErrorResponses,
  listSuccessResponses,
  withoutBody,
  type ListNegative,
} from "../openapi/declared-responses.ts";
import type { OperationPlace } from "../openapi/operation-place.ts";
import type { ApiResponse } from "../results/api-response.ts";
import { readContent, type ContentDeclaration } from "../schemas/content.ts";
import type { ZodSchema } from "../schemas/schema.ts";

/** A possible body of a response. */
export interface ReplyBody {
  readonly kind: BodyKind;
  /** The schema of the JSON in the body; undefined if the JSON may be anything. */
  readonly schema?: ZodSchema | undefined;
  readonly isEventStream?: boolean;
}

/** A status, with the bodies that its responses may have. */
export interface StatusReply {
  readonly status: number;
  readonly bodies: readonly ReplyBody[];
  /** Whether an error with declared data has this status. */
  readonly hasData?: boolean;
}

/** Checks whether at most one body is JSON, in which case the schema of a JSON body is known. */
export const hasOneJson = (bodies: readonly ReplyBody[]): boolean =>
  bodies.filter(({ kind }) => kind === "json").length < 2;

const noBody: ReplyBody = { kind: "none" };

/** Lists how a body of a media type may be read; with a wildcard, that depends on the response. */
const toKinds = (type: string): readonly BodyKind[] => {
  const [name = ""] = type.split(";", 1);
  const own = name.trim().toLowerCase();
  if (own === "*/*" || own === "application/*") return ["blob", "json", "text", "none"];
  return own === "text/*" ? ["text"] : [readKind(own)];
};

const toBodies = (status: number, responses: readonly ApiResponse[]): readonly ReplyBody[] => {
  if (withoutBody.has(status)) return [noBody];
  return responses.flatMap(({ schema, mimeType = "application/json" }) =>
    mimeType === null
      ? [noBody]
      : [mimeType].flat().flatMap((type) =>
          toKinds(type).map((kind) => ({
            kind,
            ...(/^text\/event-stream\b/i.test(type)
              ? { schema: schema as ZodSchema, isEventStream: true }
              : kind === "json" && { schema: schema as ZodSchema }),
          })),
        ),
  );
};

/** Lists the successful responses of an operation, with their bodies. */
export const listSuccesses = (place: OperationPlace): readonly StatusReply[] => {
  const { outputSchema, statusCode } = place.endpoint;
  const content = outputSchema && readContent(outputSchema);
  if (content) return listContent(content, statusCode);
  return listSuccessResponses(place).map(([status, responses]) => ({
    status,
    bodies: toBodies(status, responses),
  }));
};

/** Lists the statuses of an output sent without an envelope; a file can also be sent as a range. */
const listContent = (
  { kind, type = "*/*" }: ContentDeclaration,
  statusCode = 200,
): readonly StatusReply[] => {
  const bodies = toKinds(type).map((one) => ({ kind: one }));
  if (kind !== "file") return [{ status: statusCode, bodies }];
  return [
    { status: statusCode, bodies },
    { status: 206, bodies },
  ];
};

/** Lists the error responses of an operation, with their bodies. */
export const listErrors = (
  place: OperationPlace,
  listNegative: ListNegative,
): readonly StatusReply[] =>
  listErrorResponses(place, listNegative).map(({ status, responses, hasData }) => ({
    status,
    bodies: toBodies(status, responses),
    hasData,
  }));
