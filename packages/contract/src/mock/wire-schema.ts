import { toApiDescription, toNormaliser, type Json, type Schema } from "@sallyport/document";
import { EndpointsFactory, ResultHandler } from "sallyport";
import { generateOpenApi } from "sallyport/openapi";
import { z } from "zod";

const known = new WeakMap<z.core.$ZodType, readonly Schema[]>();

/** A result handler that sends an output as it is. */
const factory = new EndpointsFactory(
  new ResultHandler({
    positive: (output) => ({ schema: output }),
    negative: z.string(),
    handler: () => undefined,
  }),
);

/** Returns what the OpenAPI document says of values of a schema as clients receive them, and as handlers return them. */
export const listWireSchemas = (schema: z.core.$ZodType): readonly Schema[] => {
  const found = known.get(schema) ?? [
    ...optional(() => describeSent(schema)),
    ...optional(() => describeReturned(schema)),
  ];
  known.set(schema, found);
  return found;
};

/** A part that no document can describe, such as a Date, has no schema. */
const optional = (describe: () => Schema | undefined): readonly Schema[] => {
  try {
    const schema = describe();
    return schema ? [schema] : [];
  } catch {
    return [];
  }
};

const describeSent = (schema: z.core.$ZodType): Schema | undefined => {
  const endpoint = factory.build({
    output: z.object({ value: schema as z.ZodType }),
    handler: (): never => {
      throw new Error("A description is not called");
    },
  });
  const document = generateOpenApi({
    routing: { value: endpoint },
    config: {},
    info: { title: "Mock", version: "0" },
  });
  const [operation] = Object.values(toApiDescription(document, "the document").operations);
  return operation?.responses["200"]?.content["application/json"]?.schema?.properties?.["value"];
};

const describeReturned = (schema: z.core.$ZodType): Schema => {
  const json = z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" });
  return toNormaliser(json as Json, "the schema")(json as Json);
};
