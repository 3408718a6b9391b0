import { schemaName, toObject, type ApiDocument } from "./document.ts";
import { toComments, type SchemaWriter } from "./schema-code.ts";

/** Lists the components that a schema names, at any depth. */
const listReferences = (schema: unknown): readonly string[] => {
  if (Array.isArray(schema)) return schema.flatMap(listReferences);
  if (typeof schema !== "object" || schema === null) return [];
  const name = schemaName(toObject(schema));
  return name === undefined ? Object.values(schema).flatMap(listReferences) : [name];
};

/** Sorts the components so that each comes after what it names, except in a cycle. */
const sortComponents = (document: ApiDocument): readonly string[] => {
  const sorted = new Set<string>();
  const visiting = new Set<string>();
  const visit = (name: string): void => {
    if (visiting.has(name) || sorted.has(name)) return;
    visiting.add(name);
    for (const other of listReferences(document.schemas[name])) visit(other);
    visiting.delete(name);
    sorted.add(name);
  };
  for (const name of Object.keys(document.schemas)) visit(name);
  return [...sorted].filter((name) => Object.hasOwn(document.schemas, name));
};

/** Writes the module of all components; undefined if there are none. */
export const writeComponents = (
  document: ApiDocument,
  writer: SchemaWriter,
): string | undefined => {
  const names = sortComponents(document);
  if (names.length === 0) return undefined;
  const declared = new Set<string>();
  const parts = names.map((name) => {
    const pending = new Set(names.filter((one) => !declared.has(one)));
    const constant = writer.constants.get(name) ?? name;
    const written = writer.writeComponent(name, pending);
    declared.add(name);
    const isCircular = [...written.uses].some((one) => pending.has(one));
    const all = isCircular
      ? [...written.notes, "The type of this recursive schema is unknown: annotate it."]
      : written.notes;
    const text = isCircular
      ? `z.lazy(() => ${written.code.replace(/\.meta\(\{ id: [^}]*\}\)$/, "")})`
      : written.code;
    const type = isCircular ? ": z.ZodType" : "";
    return `${toComments(all)}export const ${constant}${type} = ${text};\nexport type ${constant} = z.output<typeof ${constant}>;\n`;
  });
  return `import { z } from "zod";\n\n${parts.join("\n")}`;
};
