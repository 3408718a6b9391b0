import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, ez, type Routing } from "sallyport";
import { z } from "zod";

/** A change that breaks a line of the generator on purpose. */
export interface GeneratorMutant {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A pattern for the operations that reveal the change. */
  readonly only: RegExp;
}

/** Changes to lines of `src/describe/openapi` and `src/describe/api`, each of which makes documents wrong. */
export const generatorMutants: readonly GeneratorMutant[] = [
  { file: "api/operation", from: 'return "path";', to: 'return "query";', only: /users/ },
  {
    file: "api/operation",
    from: 'if (has("query")) return "query";',
    to: 'if (has("query")) return "header";',
    only: /queries/,
  },
  {
    file: "api/operation",
    from: 'if (has("body")) return "body";',
    to: 'if (has("body")) return "query";',
    only: /created/,
  },
  {
    file: "openapi/to-operation",
    from: 'required: location === "path" || isRequired ? true : undefined',
    to: "required: true",
    only: /queries|pages/,
  },
  {
    file: "openapi/to-operation",
    from: "schema: isRest ?",
    to: "schema: !isRest ?",
    only: /queries/,
  },
  {
    file: "openapi/object-view",
    from: "isRequired: required.has(name)",
    to: "isRequired: false",
    only: /get \/both/,
  },
  {
    file: "openapi/object-view",
    from: "isRequired: required >= (isAll ? 1 : views.length)",
    to: "isRequired: false",
    only: /merged/,
  },
  {
    file: "api/operation",
    from: 'mediaType: "application/json"',
    to: 'mediaType: "text/plain"',
    only: /created/,
  },
  {
    file: "openapi/to-operation",
    from: "required: !mayBeEmpty",
    to: "required: true",
    only: /patch \/users/,
  },
  { file: "api/replies", from: "response.statusCode ?? preset", to: "200", only: /created/ },
  {
    file: "openapi/responses",
    from: "operation.hasLinks &&",
    to: "!operation.hasLinks &&",
    only: /pages/,
  },
  { file: "api/operation", from: "      500,\n", to: "", only: /broken/ },
  {
    file: "api/replies",
    from: "[...errors.keys(), ...own, ...named]",
    to: "[...own, ...named]",
    only: /created/,
  },
  {
    file: "api/operation",
    from: "(this.security.length > 0 ?",
    to: "(this.security.length < 0 ?",
    only: /secrets/,
  },
  { file: "api/operation", from: "[413, 415]", to: "[413]", only: /created/ },
  {
    file: "api/replies",
    from: "mayLackData ? schema.optional() : schema",
    to: "z.object({ other: schema })",
    only: /created/,
  },
  {
    file: "openapi/node-writer",
    from: 'if (json["maximum"] === Number.MAX_SAFE_INTEGER) delete json["maximum"];',
    to: 'json["maximum"] = 1;',
    only: /integer/,
  },
  {
    file: "openapi/node-writer",
    from: "enum: strings",
    to: "enum: ['maybe']",
    only: /kinds\/stringbool/,
  },
  {
    file: "openapi/node-writer",
    from: "if (required.length > 0) json",
    to: "if (required.length > 9) json",
    only: /kinds\/object/,
  },
  { file: "openapi/components", from: "differing.add(stem)", to: "void stem", only: /roles/ },
  {
    file: "openapi/security-schemes",
    from: 'in: "query",',
    to: 'in: "header",',
    only: /secrets\/input/,
  },
  {
    file: "openapi/responses",
    from: "hasEvents && isEventStream(type)",
    to: "false",
    only: /stream/,
  },
];

const done = z.object({ done: z.boolean() });
const id = z.object({ id: z.uuid() });

/** Endpoints that violate the OpenAPI document of the torture routing, by the name of their fault. */
export const handlerMutants: Readonly<
  Record<string, { readonly at: string; readonly routing: Routing }>
> = {
  "another success status": {
    at: "post /created",
    routing: {
      "post /created": factory.build({
        input: z.object({ name: z.string() }),
        handler: ({ input }) => input,
      }),
    },
  },
  "no content": {
    at: "get /limited",
    routing: { limited: factory.build({ statusCode: 204, handler: () => ({}) }) },
  },
  "a missing field": { at: "get /both", routing: { both: factory.build({ handler: () => ({}) }) } },
  "a wrong type": {
    at: "get /slow",
    routing: { slow: factory.build({ handler: () => ({ done: "yes" }) }) },
  },
  "an undeclared error": {
    at: "get /slow",
    routing: {
      slow: factory.build({
        handler: () => {
          throw createHttpError(418, "Tea");
        },
      }),
    },
  },
  "another media type": {
    at: "get /slow",
    routing: {
      slow: factory.build({
        handler: ({ response }) => void response.type("text/plain").send("done"),
      }),
    },
  },
  "an undeclared header": {
    at: "get /slow",
    routing: {
      slow: factory.build({
        output: done,
        handler: ({ response }) => {
          response.set("X-Secret", "1");
          return { done: true };
        },
      }),
    },
  },
  "a required field that the document calls optional": {
    at: "patch /users/{id}",
    routing: {
      "patch /users/:id": factory.build({
        input: id.extend({ name: z.string() }),
        output: done,
        handler: () => ({ done: true }),
      }),
    },
  },
  "an optional field that the document calls required": {
    at: "get /both",
    routing: {
      both: factory.build({
        input: z.object({ a: z.string().default("x") }),
        output: z.object({ a: z.string() }),
        handler: ({ input }) => input,
      }),
    },
  },
  "a renamed parameter": {
    at: "get /both",
    routing: {
      both: factory.build({
        input: z.object({ b: z.string() }),
        handler: ({ input }) => ({ a: input.b }),
      }),
    },
  },
  "a schema stricter than the document": {
    at: "put /users/{id}",
    routing: {
      "put /users/:id": factory.build({
        input: id.extend({ name: z.string().max(2) }),
        handler: ({ input: { id: own, name } }) => ({ id: own, name }),
      }),
    },
  },
  "error data of another shape": {
    at: "post /created",
    routing: {
      "post /created": factory.build({
        statusCode: 201,
        input: z.object({ name: z.string().min(1) }),
        errors: { 409: { description: "Taken", schema: z.object({ hint: z.string() }) } },
        handler: ({ input: { name } }) => {
          if (name.length > 3) throw createHttpError(409, "Taken", { data: { hint: "b" } });
          return { name };
        },
      }),
    },
  },
  "renamed items": {
    at: "get /cursors",
    routing: {
      cursors: factory.build({
        ...ez.paginated({ style: "cursor", itemSchema: z.string(), itemsName: "others" }),
        handler: ({ input: { limit } }) => ({ others: [], nextCursor: null, limit }),
      }),
    },
  },
};
