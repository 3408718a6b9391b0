import { z } from "zod";
import { anything, checkOptions } from "../messages/option-checks.ts";
import { DefinitionError } from "../errors.ts";
import { isSchema, toSchema, type ZodSchema } from "./schema.ts";
import { listInnerSchemas, walkSchemas } from "./some-schema.ts";
import { runIn } from "./zod-internals.ts";

export const maxCursorLength = 4096;

/** The minimum length of a secret, in characters; RFC 2104 recommends keys at least as long as the hash. */
const minSecretLength = 32;

const macLength = 32;

/** The second argument of `ez.cursor`. */
export interface CursorOptions {
  /**
   * The secret that signs cursors, at least 32 characters long. In an array, the first secret signs, and every secret
   * verifies, so that a new one can be added at the front.
   */
  readonly secret: string | readonly string[];
}

/** A schema of the value inside a cursor, as the handler sees it. */
export type CursorValue<Schema extends z.core.SomeType> = z.ZodType<
  z.output<Schema>,
  z.output<Schema>
>;

/** The schema returned by {@link cursor}: a string on the wire, and a value for the handler. */
export type Cursor<Schema extends z.core.SomeType> = z.ZodCodec<z.ZodString, CursorValue<Schema>>;

/** A codec between a cursor and its value. */
export type CursorCodec = z.ZodCodec<z.ZodString>;

/** A {@link CursorCodec} for the output: the handler returns the value, and the client receives the string. */
export type SignedCursor<Codec extends CursorCodec> = z.ZodCodec<CursorValue<Codec>, z.ZodString>;

/**
 * Creates the schema of a signed cursor: a string that a client can only send back unchanged.
 *
 * The string contains the value as JSON and its HMAC-SHA256, encoded in base64url; it has at most 4,096 characters. It is
 * not encrypted, and does not expire. To sign a value outside an endpoint, use `z.encode(cursor, value)`. The schema of the
 * value is the `output` in its `.meta()`.
 *
 * @param schema the schema of the value; each part must be representable in JSON, or be a codec such as `ez.dateIn()`
 * @throws {@link DefinitionError} when the secret is too short or the schema has parts that JSON cannot represent.
 * @see RFC 2104
 * @example
 * const after = ez.cursor(z.object({ id: z.int() }), { secret: process.env.CURSOR_SECRET ?? "" });
 */
export const cursor = <Schema extends z.core.SomeType>(
  schema: Schema,
  options: CursorOptions,
): Cursor<Schema> => {
  assertValueSchema(schema);
  checkOptions("ez.cursor", options, { secret: anything });
  const keys = toKeys(options.secret);
  const codec: z.ZodCodec<z.ZodString, z.ZodUnknown> = z.codec(z.string(), z.unknown(), {
    decode: (text, payload) => {
      const opened = open(text, keys);
      if (!opened) return refuse(payload, "Invalid cursor");
      return whenRun(schema, { value: opened.value, issues: [] }, "forward", (result) =>
        // the cursor comes from another list or an older release
        result.issues.length > 0 ? refuse(payload, "Invalid cursor") : result.value,
      );
    },
    encode: (value, payload) =>
      whenRun(schema, { value, issues: [] }, "backward", ({ issues, value: content }) => {
        payload.issues.push(...issues);
        if (issues.length > 0) return "";
        const text = seal(content, keys);
        if (text !== undefined && text.length <= maxCursorLength) return text;
        return refuse(
          payload,
          text === undefined
            ? "Invalid value for a cursor: JSON cannot represent it"
            : `Value too large for a cursor: it would exceed ${maxCursorLength} characters`,
        );
      }),
  });
  // one side of the codec is `unknown`, because `decode` and `encode` apply the schema themselves
  return codec.meta({ output: schema }) as unknown as Cursor<Schema>;
};

export const isCursorCodec = (value: unknown): value is CursorCodec => {
  if (!isSchema(value)) return false;
  const { def } = (value as z.core.$ZodTypes)._zod;
  return def.type === "pipe" && def.reverseTransform !== undefined && isText(def.in);
};

export const isText = (value: unknown): boolean =>
  isSchema(value) && value._zod.def.type === "string";

/** Decodes or encodes, and passes the result to a function; returns a promise only if the schema is asynchronous. */
const whenRun = <To>(
  schema: z.core.SomeType,
  payload: z.core.ParsePayload,
  direction: "backward" | "forward",
  use: (result: z.core.ParsePayload) => To,
): To | Promise<To> => {
  const result = runIn(direction, schema as ZodSchema, payload, { async: true });
  return result instanceof Promise ? result.then(use) : use(result);
};

const refuse = (payload: z.core.ParsePayload, message: string): never => {
  payload.issues.push({ code: "custom", message, input: payload.value });
  return z.NEVER;
};

const sign = (content: Buffer, key: Buffer): Buffer =>
  process.getBuiltinModule("node:crypto").createHmac("sha256", key).update(content).digest();

const seal = (value: unknown, [key]: readonly Buffer[]): string | undefined => {
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined || key === undefined) return undefined;
  const content = Buffer.from(json);
  return Buffer.concat([sign(content, key), content]).toString("base64url");
};

const open = (text: string, keys: readonly Buffer[]): { readonly value: unknown } | undefined => {
  if (text.length > maxCursorLength) return undefined;
  const bytes = Buffer.from(text, "base64url");
  // the same bytes have several encodings, but only the canonical one is ever sent
  if (bytes.length <= macLength || bytes.toString("base64url") !== text) return undefined;
  const mac = bytes.subarray(0, macLength);
  const content = bytes.subarray(macLength);
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const isOurs = keys.some((key) => timingSafeEqual(sign(content, key), mac));
  return isOurs ? { value: JSON.parse(content.toString()) as unknown } : undefined;
};

/** Derives the key, so that nothing else that the application signs with its secret passes as a cursor. */
const toKey = (secret: string): Buffer =>
  sign(Buffer.from("sallyport/cursor/1"), Buffer.from(secret));

const toKeys = (secret: unknown): readonly Buffer[] => {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const fits = (one: unknown): one is string =>
    typeof one === "string" && one.length >= minSecretLength;
  if (secrets.length > 0 && secrets.every(fits)) return secrets.map(toKey);
  const wrong = secrets.find((one) => !fits(one));
  // the message must never include the secret itself
  const one = typeof wrong === "string" ? `one of ${wrong.length} characters` : typeof wrong;
  const got = secrets.length === 0 ? "an empty array" : wrong === null ? "null" : one;
  throw new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `ez.cursor: \`secret\` must be a string of at least ${minSecretLength} characters, or an array of such strings; got ${got}. Generate one with: openssl rand -base64 32`,
  );
};

const unsignedKinds: ReadonlySet<string> = new Set([
  ...["bigint", "date", "file", "function", "map", "nan", "promise", "set", "success"],
  ...["symbol", "transform", "void"],
]);

/** Rejects a schema with a part that JSON cannot represent or that works in only one direction. */
const assertValueSchema = (value: unknown): void => {
  const root = toSchema("ez.cursor: the first argument", value, "z.object({ id: z.int() })");
  for (const schema of walkSchemas(root, listSignedParts)) {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const comesBack = def.type === "date" && def.coerce === true;
    if (unsignedKinds.has(def.type) && !comesBack)
      throw new DefinitionError(
        "SLP_DEFINITION_SCHEMA",
        `ez.cursor: the schema has a part of kind ${def.type}, which JSON cannot restore. Use a type that JSON can represent, or a codec, such as ez.dateIn() for a Date.`,
      );
  }
};

/** Lists the parts of a schema; the output side of a codec may be anything. */
const listSignedParts = (schema: ZodSchema): readonly ZodSchema[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const isCodec = def.type === "pipe" && def.reverseTransform !== undefined;
  return isCodec ? [def.in] : listInnerSchemas(schema);
};
