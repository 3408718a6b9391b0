import type { z } from "zod";
import type { OperationPlace } from "../openapi/operation-place.ts";
import { readPagination } from "../schemas/paginated.ts";
import { readTopLevel } from "../schemas/top-level-keys.ts";
import { listSuccesses } from "./reply-kinds.ts";

/** The page that a route returns. */
export interface RoutePage {
  readonly itemsName: string;
}

/** Finds the page in the successful response of a route; returns undefined if there is none. */
export const findPage = (place: OperationPlace): RoutePage | undefined => {
  const { outputSchema } = place.endpoint;
  if (!outputSchema || !isSentWhole(place, outputSchema as z.ZodType)) return undefined;
  const { fields } = readTopLevel(outputSchema);
  const isPage =
    fields.has("nextCursor") || ["total", "limit", "offset"].every((name) => fields.has(name));
  if (!isPage) return undefined;
  const lists = [...fields].filter(
    ([, field]) => (field as z.core.$ZodTypes)._zod.def.type === "array",
  );
  const named = lists.find(
    ([name]) => name === (readPagination(outputSchema)?.itemsName ?? "items"),
  );
  const [itemsName] = named ?? lists[0] ?? [];
  return itemsName === undefined ? undefined : { itemsName };
};

/**
 * Checks whether a successful response contains the whole output, either as its body or as `data`, as in the default
 * envelope.
 */
const isSentWhole = (place: OperationPlace, output: z.ZodType): boolean =>
  listSuccesses(place).some(({ bodies }) =>
    bodies.some(({ schema }) => {
      if (schema === output) return true;
      const fields = schema && readTopLevel(schema).fields;
      const status = fields?.get("status") as z.core.$ZodTypes | undefined;
      const def = status?._zod.def;
      return (
        def?.type === "literal" && def.values.includes("success") && fields?.get("data") === output
      );
    }),
  );
