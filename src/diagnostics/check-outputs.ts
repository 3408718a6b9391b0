import type { z } from "zod";
import { getMessageFromError } from "../results/http-error.ts";
import type { ApiResponse } from "../results/api-response.ts";
import type { AnyResultHandler } from "../results/result-handler.ts";
import { readContent } from "../schemas/content.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { someSchema } from "../schemas/some-schema.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { toPlace, type Diagnostic } from "./diagnostic.ts";
import { toFix, toReason } from "./fixes.ts";
import { MisfitFinder } from "./misfits.ts";
import { toOutputWire } from "./wire.ts";

/** Finds the parts that can never be sent in outputs that the result handler declares as JSON. */
export const checkOutputs = (entries: readonly EndpointEntry[]): readonly Diagnostic[] => {
  const finder = new MisfitFinder("output");
  const wire = toOutputWire();
  const known = new Set<ZodSchema | AnyResultHandler>();
  return entries.flatMap((entry): Diagnostic[] => {
    const { outputSchema, isVoid, resultHandler } = entry.endpoint;
    if (!outputSchema || isVoid || known.has(outputSchema) || readContent(outputSchema)) return [];
    if (someSchema(outputSchema, isStreamed)) {
      known.add(outputSchema);
      return [toNestedWarning(entry)];
    }
    const misfits = finder.list(outputSchema, wire);
    let sent: ReadonlySet<unknown>;
    try {
      sent = listSent(resultHandler, outputSchema);
    } catch (error) {
      return known.has(resultHandler) ? [] : [toDeclarationWarning(entry, error, known)];
    }
    const isSent = misfits.filter(({ schema }) => sent.has(schema));
    if (isSent.length > 0) known.add(outputSchema);
    return isSent.map((misfit) => {
      const field = `output${misfit.path}`;
      const reason = toReason(misfit);
      return {
        code: "SLP_WARN_OUTPUT_JSON",
        text: `\`${field}\` of ${toPlace(entry)} ${reason}. ${toFix(misfit)}.`,
        meta: { method: entry.method, path: entry.path, field, reason },
      };
    });
  });
};

const isStreamed = (schema: ZodSchema): boolean =>
  ["file", "stream"].includes(readContent(schema)?.kind ?? "");

const toNestedWarning = (entry: EndpointEntry): Diagnostic => ({
  code: "SLP_WARN_OUTPUT_JSON",
  text: `\`output\` of ${toPlace(entry)} has ez.stream() or ez.file() inside another schema, where its content is not sent. Use it as the whole output: \`output: ez.stream(...)\`.`,
  meta: { method: entry.method, path: entry.path },
});

/** Lists the schemas of the JSON responses of a result handler, including nested schemas. */
const listSent = (resultHandler: AnyResultHandler, output: ZodSchema): ReadonlySet<unknown> => {
  const sent = new Set<unknown>();
  for (const response of resultHandler.listPositive(output as z.ZodType))
    if (isJson(response)) someSchema(response.schema as ZodSchema, () => false, sent);
  return sent;
};

const isJson = ({ mimeType = "application/json" }: ApiResponse): boolean => {
  if (mimeType === null) return false;
  const types = typeof mimeType === "string" ? [mimeType] : mimeType;
  return types.every((type) => /^application\/(?:json|[\w.-]+\+json)\b/i.test(type));
};

/** Warns about a result handler that fails to declare its responses, on which documents and clients depend. */
const toDeclarationWarning = (
  entry: EndpointEntry,
  error: unknown,
  known: Set<ZodSchema | AnyResultHandler>,
): Diagnostic => {
  known.add(entry.endpoint.resultHandler);
  const reason = getMessageFromError(error);
  return {
    code: "SLP_WARN_RESPONSE",
    text: `the \`positive\` of the result handler of ${toPlace(entry)} does not declare what is sent; correct it: ${reason}`,
    meta: { method: entry.method, path: entry.path, reason },
  };
};
