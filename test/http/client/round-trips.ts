import fc from "fast-check";
import {
  defaultEndpointsFactory as factory,
  ez,
  type AnyEndpoint,
  type FileUpload,
  type Routing,
  type ServerConfig,
} from "sallyport";
import { createClient, type ClientOptions } from "sallyport/client";
import { expect } from "vitest";
import { z } from "zod";
import { importGenerated } from "../generated-client.ts";
import { start } from "../harness.ts";

/** The place where the fields of a pair are sent. */
export type Place =
  | "extended"
  | "form"
  | "header"
  | "json"
  | "multipart"
  | "path"
  | "query"
  | "raw";

/** A field of an input, with its schema, the value given to the client, and the value that the handler should receive. */
interface Field {
  readonly schema: z.ZodType;
  readonly given: unknown;
  readonly received: unknown;
}

/** The description of an endpoint, and an input for that endpoint. */
export interface Pair {
  readonly place: Place;
  readonly method: "delete" | "get" | "patch" | "post" | "put";
  readonly fields: Readonly<Record<string, Field>>;
  readonly parameters: Readonly<Record<string, Field>>;
  readonly reply: unknown;
}

/** The client method that these tests call. */
export interface AnyClient {
  readonly provide: (key: string, input?: unknown) => Promise<unknown>;
}

const anyOf = (characters: string): fc.Arbitrary<string> =>
  fc.constantFrom(...Array.from(characters));

/** Strings of all kinds of characters, including those with a meaning in a URL, a header or a form. */
const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({
    unit: anyOf(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~aé漢😀\u2028\t\r\n"),
    maxLength: 12,
  }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "%2F",
    "%",
    "null",
    "undefined",
    "true",
    "0",
    "[]",
    "a\r\nb",
    "\u0000",
  ),
);

const field = (schema: z.ZodType, given: unknown, received: unknown = given): Field => ({
  schema,
  given,
  received,
});

const date = fc.date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true });
/** A number other than negative zero, which has the same string as zero. */
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (Object.is(value, -0) ? 0 : value));

/** Values that are sent as a single string. */
const single: fc.Arbitrary<Field> = fc.oneof(
  hostile.map((value) => field(z.string(), value)),
  number.map((value) => field(z.coerce.number(), value)),
  fc.boolean().map((value) => field(z.stringbool(), value)),
  fc.bigInt().map((value) => field(z.coerce.bigint(), value)),
  date.map((value) => field(ez.dateIn(), value)),
  fc.constant(field(z.string().optional(), undefined)),
);

const list: fc.Arbitrary<Field> = fc
  .array(hostile, { minLength: 1, maxLength: 4 })
  .map((values) => field(z.array(z.string()), values));

/** A non-empty field name that is not a path parameter and does not affect prototypes. */
const name = hostile.filter((text) => text !== "__proto__" && text !== "id" && text !== "");

const json: fc.Arbitrary<Field> = fc.oneof(
  hostile.map((value) => field(z.string(), value)),
  number.map((value) => field(z.number(), value)),
  fc.boolean().map((value) => field(z.boolean(), value)),
  fc.constant(field(z.null(), null)),
  fc.bigInt().map((value) => field(z.coerce.bigint(), value)),
  date.map((value) => field(ez.dateIn(), value)),
  fc.constant(field(z.string().optional(), undefined)),
  fc.array(hostile, { maxLength: 3 }).map((values) => field(z.array(z.string()), values)),
  fc.array(date, { maxLength: 3 }).map((values) =>
    field(
      z.array(z.object({ at: ez.dateIn() })),
      values.map((at) => ({ at })),
    ),
  ),
  fc
    .dictionary(name, fc.option(number), { maxKeys: 3 })
    .map((value) => field(z.record(z.string(), z.number().nullable()), { ...value })),
);

const word = fc.string({ unit: anyOf("abcXYZ_$-."), minLength: 1, maxLength: 6 });

const nested: fc.Arbitrary<Field> = fc.oneof(
  hostile.map((value) => field(z.string(), value)),
  fc
    .array(hostile, { minLength: 1, maxLength: 6 })
    .map((values) => field(z.array(z.string()), values)),
  fc
    .dictionary(word, hostile, { minKeys: 1, maxKeys: 3 })
    .map((value) => field(z.record(z.string(), z.string()), { ...value })),
  fc
    .array(fc.dictionary(word, hostile, { minKeys: 1, maxKeys: 2 }), { minLength: 1, maxLength: 3 })
    .map((values) =>
      field(
        z.array(z.record(z.string(), z.string())),
        values.map((one) => ({ ...one })),
      ),
    ),
);

const header: fc.Arbitrary<Field> = fc
  .string({ unit: "grapheme-ascii", maxLength: 12 })
  .map((text) => field(z.string(), text.trim()));

const fileName = fc
  .string({ unit: anyOf("aé漢 .;'=+&%😀"), minLength: 1, maxLength: 8 })
  .map((text) => `f${text}`);
const file = fc
  .record({ bytes: fc.uint8Array({ maxLength: 40 }), name: fileName })
  .map(({ bytes, name }) => new File([bytes], name, { type: "image/png" }));

const files: fc.Arbitrary<Field> = fc.oneof(
  file.map((value) => field(ez.upload(), value)),
  fc
    .array(file, { minLength: 1, maxLength: 3 })
    .map((values) => field(z.array(ez.upload()), values)),
);

const fieldsOf = (
  names: fc.Arbitrary<string>,
  fields: fc.Arbitrary<Field>,
  minKeys = 0,
): fc.Arbitrary<Record<string, Field>> =>
  fc.dictionary(names, fields, { minKeys, maxKeys: 4 }).map((record) => ({ ...record }));

const formName = name.filter((text) => !/[\r\n"\\]/.test(text));
/** A field name without brackets, which the extended query parser would interpret. */
const plainName = name.filter((text) => !/[[\]]/.test(text));
const headerName = fc.string({ unit: anyOf("abc0-_"), maxLength: 5 }).map((text) => `x-t${text}`);

const inputOf = (place: Place): fc.Arbitrary<Record<string, Field>> => {
  if (place === "json") return fieldsOf(name, json);
  if (place === "query") return fieldsOf(name, fc.oneof(single, list));
  if (place === "extended") return fieldsOf(plainName, nested);
  if (place === "header") return fieldsOf(headerName, header);
  if (place === "form") return fieldsOf(formName, fc.oneof(single, list), 1);
  if (place === "multipart")
    return fc
      .tuple(fieldsOf(formName, fc.oneof(single, list)), files)
      .map(([fields, value]) => ({ ...fields, upload: value }));
  if (place === "raw")
    return fc
      .uint8Array({ minLength: 1, maxLength: 60 })
      .map((bytes) => ({ raw: field(z.any(), bytes) }));
  return fc.constant({});
};

const pathText = hostile.filter((text) => !["", ".", ".."].includes(text));
const parameters: fc.Arbitrary<Record<string, Field>> = fc.oneof(
  fc.constant({}),
  fc
    .oneof(
      pathText.map((value) => field(z.string(), value)),
      single,
    )
    .filter(({ given }) => given !== undefined && !["", ".", ".."].includes(given as string))
    .map((id) => ({ id })),
);

const methods: Readonly<Record<Place, readonly Pair["method"][]>> = {
  extended: ["get"],
  form: ["post"],
  header: ["get"],
  json: ["post", "put", "patch"],
  multipart: ["post"],
  path: ["get", "delete"],
  query: ["get", "delete"],
  raw: ["post", "put"],
};

/** Generates endpoints with inputs for the given places. */
export const pairs = (...places: Place[]): fc.Arbitrary<Pair> =>
  fc.constantFrom(...places).chain((place) =>
    fc.record({
      place: fc.constant(place),
      method: fc.constantFrom(...methods[place]),
      fields: inputOf(place),
      parameters,
      reply: fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
    }),
  );

const shapeOf = (fields: Readonly<Record<string, Field>>): z.ZodRawShape =>
  Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]));

const valuesOf = (fields: Readonly<Record<string, Field>>, side: "given" | "received"): object =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([key, value]) => [key, value[side]] as const)
      .filter(([, value]) => value !== undefined),
  );

/** Converts a value to one that can be compared. A file becomes its name, type and content. */
const settle = async (value: unknown): Promise<unknown> => {
  if (Array.isArray(value)) return Promise.all(value.map(settle));
  if (value instanceof Blob)
    return [(value as File).name, value.type, Buffer.from(await value.arrayBuffer())];
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value !== "object" || value === null || !("mv" in value)) return value;
  const { name, mimetype, data } = value as FileUpload;
  return [name, mimetype, Buffer.from(data)];
};

const settleAll = async (input: object): Promise<object> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(input).map(async ([key, value]) => [key, await settle(value)] as const),
    ),
  );

/** Returns the configuration that a place needs. */
const configOf = (place: Place): Partial<ServerConfig> => ({
  upload: true,
  ...(place === "header" && { inputSources: { get: ["headers", "params"] } }),
  ...(place === "extended" && { queryParser: "extended" }),
});

const endpointOf = (pair: Pair, onInput: (input: object) => Promise<void>): AnyEndpoint => {
  const shape = { ...shapeOf(pair.fields), ...shapeOf(pair.parameters) };
  const { raw: _raw, ...rest } = shape;
  const input =
    pair.place === "raw" ? ez.raw(rest) : pair.place === "form" ? ez.form(shape) : z.object(shape);
  return factory.build({
    method: pair.method,
    input,
    output: z.object({ reply: z.unknown() }),
    handler: async ({ input }) => {
      await onInput(input);
      return { reply: pair.reply };
    },
  });
};

/** The routing and configuration that serve some pairs, and the options for an inferred client. */
export interface ServedPairs {
  readonly place: Place;
  readonly routing: Routing;
  readonly config: Partial<ServerConfig>;
  readonly options: ClientOptions;
}

/** Creates the generated client, and the inferred one unless the input is a form, which only a generated client can send. */
export const createBoth = async ({
  place,
  options,
  routing,
  config,
}: ServedPairs): Promise<readonly AnyClient[]> => {
  const { createClient: createGenerated } = await importGenerated<AnyClient>(routing, config);
  const generated = createGenerated({ baseUrl: options.baseUrl });
  return place === "form"
    ? [generated]
    : [createClient(options) as unknown as AnyClient, generated];
};

/**
 * Serves pairs with the same place, and sends each input with each client. The handler must receive
 * the values given to the client, and the client must receive the values that the handler returned.
 */
export const sendPairs = async (
  given: readonly Pair[],
  createClients: (api: ServedPairs) => Promise<readonly AnyClient[]>,
): Promise<void> => {
  const place = given[0]?.place ?? "json";
  let received: object | undefined;
  const paths = given.map((pair, index) => `/p${index}${"id" in pair.parameters ? "/:id" : ""}`);
  const routing = Object.fromEntries(
    given.map((pair, index) => [
      `${pair.method} ${paths[index] ?? ""}`,
      endpointOf(pair, async (input) => {
        received = await settleAll(input);
      }),
    ]),
  );
  const config = configOf(place);
  const server = await start(routing, config);
  const clients = await createClients({
    place,
    options: {
      baseUrl: `http://127.0.0.1:${server.port}/`,
      ...(config.inputSources && { inputSources: { get: ["headers", "params"] } }),
      ...(place === "extended" && { queryParser: "extended" as const }),
    },
    routing,
    config,
  });
  for (const client of clients)
    for (const [index, pair] of given.entries()) {
      received = undefined;
      const fields = { ...pair.fields, ...pair.parameters };
      const body = await client.provide(
        `${pair.method} ${paths[index] ?? ""}`,
        valuesOf(fields, "given"),
      );
      expect(body).toEqual({ status: "success", data: { reply: pair.reply } });
      expect(received).toEqual(await settleAll(valuesOf(fields, "received")));
    }
  await server.close();
};
