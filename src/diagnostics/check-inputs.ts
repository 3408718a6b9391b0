import { isForm } from "../schemas/form.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { EndpointEntry } from "../routing/walk-routing.ts";
import { listInputs, toPlace, type RoutingFacts, type Diagnostic } from "./diagnostic.ts";
import { toFix, toReason } from "./fixes.ts";
import { MisfitFinder, type Misfit } from "./misfits.ts";
import { formWire, toInputWire } from "./wire.ts";

const isCoerced = ({ kind }: Misfit): boolean => kind === "coercedBoolean";

/**
 * Finds parts of inputs that can never arrive: in a body, values that JSON cannot represent; in a query or a path,
 * values that are not strings.
 */
export const checkInputs = (
  entries: readonly EndpointEntry[],
  facts: RoutingFacts,
): readonly Diagnostic[] => {
  const finder = new MisfitFinder("input");
  // a schema that several routes share is reported once, because it is one place in the code
  const reported = new Map<ZodSchema, Set<string>>();
  return entries.flatMap((entry) => {
    const wire = toInputWire(entry, facts);
    return listInputs(entry.endpoint).flatMap(({ schema, isMiddleware }) => {
      const known = reported.get(schema) ?? new Set<string>();
      reported.set(schema, known);
      // the fields of a form are strings, but an endpoint with a form also accepts JSON
      const misfits = isForm(schema)
        ? [...finder.list(schema, wire), ...finder.list(schema, formWire).filter(isCoerced)]
        : finder.list(schema, wire);
      return misfits.flatMap((misfit): Diagnostic[] => {
        const field = `input${misfit.path}`;
        if (known.has(field)) return [];
        known.add(field);
        const reason = toReason(misfit);
        const code = misfit.wire.carrier === "json" ? "SLP_WARN_INPUT_JSON" : "SLP_WARN_INPUT_TEXT";
        const place = `${isMiddleware ? "a middleware of " : ""}${toPlace(entry)}`;
        return [
          {
            code,
            text: `\`${field}\` of ${place} ${reason}. ${toFix(misfit)}.`,
            meta: { method: entry.method, path: entry.path, field, reason },
          },
        ];
      });
    });
  });
};
