import { lifecycleChanges } from "./lifecycle-changes.ts";
import { structureChanges } from "./structure-changes.ts";
import { valueChanges } from "./value-changes.ts";

/** Every change of a schema that is told; each becomes one rule for each area. */
export const schemaChanges = { ...valueChanges, ...structureChanges, ...lifecycleChanges };

export type SchemaChangeName = keyof typeof schemaChanges;
