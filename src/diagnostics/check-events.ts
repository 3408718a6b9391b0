import type { z } from "zod";
import type { AnyResultHandler } from "../results/result-handler.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { toPlace, type Diagnostic } from "./diagnostic.ts";
import { toFix, toReason } from "./fixes.ts";
import { MisfitFinder } from "./misfits.ts";
import { toOutputWire } from "./wire.ts";
import { readValues } from "../schemas/zod-internals.ts";

/** Finds parts of a stream's events that can never be sent, because their data is written as JSON. */
export const checkEvents = (entries: readonly EndpointEntry[]): readonly Diagnostic[] => {
  const finder = new MisfitFinder("output");
  const wire = toOutputWire();
  const known = new Set<AnyResultHandler>();
  return entries.flatMap((entry): Diagnostic[] => {
    const { resultHandler, outputSchema } = entry.endpoint;
    if (outputSchema || known.has(resultHandler)) return [];
    known.add(resultHandler);
    return listEvents(resultHandler).flatMap(({ event, data }) =>
      finder.list(data, wire).map((misfit) => {
        const field = `data${misfit.path}`;
        const reason = toReason(misfit);
        return {
          code: "SLP_WARN_OUTPUT_JSON" as const,
          text: `\`${field}\` of the event "${event}" of ${toPlace(entry)} ${reason}. ${toFix(misfit)}.`,
          meta: { method: entry.method, path: entry.path, event, field, reason },
        };
      }),
    );
  });
};

interface EventSchema {
  readonly event: string;
  readonly data: ZodSchema;
}

/** Lists the events that a result handler declares; none if it is not for streams. */
const listEvents = (resultHandler: AnyResultHandler): readonly EventSchema[] =>
  listDeclared(resultHandler).flatMap((schema): EventSchema[] => {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const options = def.type === "union" ? def.options : [schema];
    return options.flatMap((option): EventSchema[] => {
      const { shape } = option._zod.def as Partial<z.core.$ZodObjectDef>;
      const field = shape?.["event"];
      const [event] = (field && readValues(field)) ?? [];
      const data = shape?.["data"];
      return data && typeof event === "string" ? [{ event, data }] : [];
    });
  });

const listDeclared = (resultHandler: AnyResultHandler): readonly ZodSchema[] => {
  try {
    const responses = resultHandler.listPositive(undefined as never);
    return responses
      .filter(({ mimeType }) => mimeType === "text/event-stream")
      .map(({ schema }) => schema as ZodSchema);
  } catch {
    // a result handler that cannot list its responses without an output is not for streams
    return [];
  }
};
