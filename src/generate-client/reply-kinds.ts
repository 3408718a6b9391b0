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

/** A body that a status may have. */
export interface ReplyBody {
  readonly kind: BodyKind;
  /** What its JSON is; undefined where it may be anything. */
  readonly schema?: ZodSchema | undefined;
  readonly isEventStream?: boolean;
}

/** What a status has for a body. */
export interface StatusReply {
  readonly status: number;
  readonly bodies: readonly ReplyBody[];
  /** The data of an error, and who says what it is. */
  readonly hasData?: boolean;
}

/** Whether no two bodies are JSON, so that it is known what a body of JSON is. */
export const hasOneJson = (bodies: readonly ReplyBody[]): boolean =>
  bodies.filter(({ kind }) => kind === "json").length < 2;

const noBody: ReplyBody = { kind: "none" };

/** What a body of a media type is read as; one that may be any is read as what it turns out to be. */
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

/** Lists the successes of an operation, with what they have for bodies. */
export const listSuccesses = (place: OperationPlace): readonly StatusReply[] => {
  const { outputSchema, statusCode } = place.endpoint;
  const content = outputSchema && readContent(outputSchema);
  if (content) return listContent(content, statusCode);
  return listSuccessResponses(place).map(([status, responses]) => ({
    status,
    bodies: toBodies(status, responses),
  }));
};

/** What is sent as it is; of a file, also parts of it, or that it has not changed. */
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

/** Lists the errors of an operation, with what they have for bodies. */
export const listErrors = (
  place: OperationPlace,
  listNegative: ListNegative,
): readonly StatusReply[] =>
  listErrorResponses(place, listNegative).map(({ status, responses, hasData }) => ({
    status,
    bodies: toBodies(status, responses),
    hasData,
  }));
