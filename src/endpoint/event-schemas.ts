import { DefinitionError, ServerFault } from "../errors.ts";
import { isObject } from "../messages/option-checks.ts";
import { show } from "../messages/show.ts";
import { describeUnknown } from "../messages/unknown-names.ts";
import { toSchema } from "../schemas/assert-schema.ts";
import type { ZodSchema } from "../schemas/schema.ts";

/** @throws {@link DefinitionError} when a name cannot be sent, or a value is not a schema. */
export const toEventSchemas = (
  where: string,
  events: unknown,
  what: string,
): ReadonlyMap<string, ZodSchema> => {
  if (!isObject(events))
    throw new DefinitionError(
      "SLP_DEFINITION_EVENT",
      `${where}: ${what} must be an object of events, as in { time: z.number() }; got ${show(events)}.`,
    );
  return new Map(
    Object.entries(events).map(([name, schema]) => [name, assertEvent(where, name, schema)]),
  );
};

const assertEvent = (where: string, name: string, schema: unknown): ZodSchema => {
  // a line break would end the field, and clients treat an empty name as `message`
  if (name === "" || /[\r\n]/.test(name))
    throw new DefinitionError(
      "SLP_DEFINITION_EVENT",
      `${where}: the name of an event must be a non-empty string without line breaks; got ${JSON.stringify(name)}. Rename it.`,
    );
  return toSchema(`${where}: \`${name}\``, schema, "z.number()");
};

export const toEventSchema = (
  where: string,
  schemas: ReadonlyMap<string, ZodSchema>,
  event: string,
): ZodSchema => {
  const schema = schemas.get(event);
  if (schema) return schema;
  throw new ServerFault(
    "SLP_EVENT_UNKNOWN",
    describeUnknown("event", event, [...schemas.keys()], { where }),
  );
};
