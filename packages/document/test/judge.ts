import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { toApiDescription, type JsonObject, type Schema } from "../src/index.ts";

const ajv = new Ajv2020({ strict: false, logger: false });
// ajv-formats is a CommonJS module whose function is also its default export
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);

/** Returns what ajv, a validator of others, says of values. */
export const toJudge = (schema: JsonObject): ((value: unknown) => boolean) => {
  const validate = ajv.compile(schema as object);
  return (value) => validate(value);
};

/** Returns the normal form of a schema, as that of a body. */
export const toSchema = (given: unknown, more: object = {}): Schema => {
  // as in a text, no two places are the same object
  const schema: unknown = JSON.parse(JSON.stringify(given));
  const api = toApiDescription(
    {
      openapi: "3.1.0",
      paths: { "/": { post: { requestBody: { content: { "application/json": { schema } } } } } },
      ...more,
    },
    "test",
  );
  return api.operations["POST /"]?.body?.content["application/json"]?.schema ?? {};
};
