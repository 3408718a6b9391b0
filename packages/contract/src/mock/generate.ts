import { z } from "zod";
import { makeValues } from "@sallyport/document";
import { accepts, listExamples, toReturned } from "./examples.ts";
import { contentsOf, type MockFiles } from "./generate-content.ts";
import { addKnown, toSeed } from "./make-value.ts";
import { UngeneratableError } from "./ungeneratable.ts";
import { listWireSchemas } from "./wire-schema.ts";

/** With what a value is generated. */
export interface Generation {
  readonly seed: string;
  readonly files: MockFiles;
  /** A value for each schema for which one was found; it is used where no other is. */
  readonly kept: Map<z.core.$ZodType, unknown>;
  /** The media type of content. */
  readonly type?: string | undefined;
  /** Values for the fields of the whole that have these names, where the schema accepts them. */
  readonly known?: Readonly<Record<string, unknown>> | undefined;
}

const attempts = 20;

/**
 * Returns a value that a schema accepts: the first of its examples, or one that the document of the API allows, in the
 * form that handlers return.
 *
 * @throws {@link UngeneratableError} when no such value was found.
 */
export const generate = (schema: z.core.$ZodType, generation: Generation): unknown => {
  const { type, files, seed, known = {} } = generation;
  const [example] = listExamples(schema).values();
  if (example !== undefined) return example;
  let failure: UngeneratableError | undefined;
  const wires = listWireSchemas(schema);
  const isContent = wires[0]?.format === "binary" || (type !== undefined && !type.includes("json"));
  if (isContent)
    for (const content of contentsOf(type, files)) if (accepts(schema, content)) return content;
  for (let attempt = 0; attempt < attempts; attempt++)
    for (const wire of wires) {
      const [made] = makeValues(wire, { seed: toSeed(`${seed}\n${attempt}`), style: "plain" });
      const value = made === undefined ? undefined : toReturned(schema, made);
      if (value !== undefined) return addKnown(value, known, (next) => accepts(schema, next));
      failure ??= explainFailure(schema, made);
    }
  throw failure ?? new UngeneratableError("", "the document does not describe it");
};

const explainFailure = (schema: z.core.$ZodType, value: unknown): UngeneratableError => {
  const { error } = z.safeParse(schema, value);
  const issue = error?.issues.find(({ code }) => code === "custom") ?? error?.issues[0];
  return new UngeneratableError(
    (issue?.path ?? []).map((part) => `.${String(part)}`).join(""),
    issue?.code === "custom" ? "it has a .refine()" : "no value that fits it was found",
  );
};
