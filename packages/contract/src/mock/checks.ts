import type { z } from "zod";

/** The definitions of the checks of a schema, which is a check itself if its type is a format. */
export const listChecks = (schema: z.core.$ZodType): readonly z.core.$ZodCheckDef[] => {
  const { def } = schema._zod;
  return [
    ...("check" in def ? [def as unknown as z.core.$ZodCheckDef] : []),
    ...(def.checks ?? []).map((check) => check._zod.def),
  ];
};

type Named<Name> = Extract<z.core.$ZodChecks["_zod"]["def"], { readonly check: Name }>;

/** The definitions of the checks of one kind. */
export const checksOf = <const Name extends z.core.$ZodChecks["_zod"]["def"]["check"]>(
  schema: z.core.$ZodType,
  name: Name,
): readonly Named<Name>[] =>
  listChecks(schema).filter((one): one is z.core.$ZodCheckDef & Named<Name> => one.check === name);

interface Range {
  readonly min: number;
  readonly max: number;
}

/** How many items, characters or entries a value may have. */
export const toLength = (schema: z.core.$ZodType): Range => {
  const exact = [
    ...checksOf(schema, "length_equals").map(({ length }) => length),
    ...checksOf(schema, "size_equals").map(({ size }) => size),
  ];
  const least = [
    ...checksOf(schema, "min_length").map(({ minimum }) => minimum),
    ...checksOf(schema, "min_size").map(({ minimum }) => minimum),
  ];
  const most = [
    ...checksOf(schema, "max_length").map(({ maximum }) => maximum),
    ...checksOf(schema, "max_size").map(({ maximum }) => maximum),
  ];
  return { min: Math.max(0, ...least, ...exact), max: Math.min(Infinity, ...most, ...exact) };
};
