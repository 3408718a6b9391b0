import { isIPv6 } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

const text = (format: string, isValid: (text: string) => boolean) =>
  z.string().refine(isValid, `Invalid ${format}`).meta({ format });

const matching = (format: string, pattern: RegExp) => text(format, (one) => pattern.test(one));

const isDay = (one: string): boolean => z.iso.date().safeParse(one).success;
const time =
  /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;

/** A date and a time as in RFC 3339, section 5.6, such as `1996-12-19T16:39:57-08:00`. */
export const dateTime = () =>
  text(
    "date-time",
    (one) => isDay(one.slice(0, 10)) && /^[t ]/i.test(one.slice(10)) && time.test(one.slice(11)),
  );

/** A time as in RFC 3339, section 5.6, such as `16:39:57Z`. */
export const fullTime = () => matching("time", time);

/** A UUID of any version. */
export const uuid = () =>
  matching("uuid", /^(?:urn:uuid:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i);

/** What may be a mailbox of RFC 5321. */
export const email = () => matching("email", /^(?:"(?:[^"\\]|\\.)+"|[^\s@"]+)@[^\s@]+$/);

/** A URI with its scheme, as in RFC 3986. */
export const uri = () => matching("uri", /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]*$/i);

/** An address of IPv6, as in RFC 4291. */
export const ipv6 = () => text("ipv6", isIPv6);

/** `true` or `false` as text. */
export const textBoolean = () =>
  z
    .string()
    .refine((one) => one === "true" || one === "false", "Invalid boolean")
    .transform((one) => one === "true")
    .meta({ type: "boolean" });

/** The elements of a list that is written as one text. */
export const delimited = <Item extends z.ZodType>(separator: string, items: z.ZodArray<Item>) =>
  z
    .array(z.string())
    .transform((texts) => texts.flatMap((one) => (one === "" ? [] : one.split(separator))))
    .pipe(items as unknown as z.ZodType<z.output<Item>[], string[]>);

/** Whether a value is one of a list, whose members may be objects. */
export const isOneOf =
  (values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.some((one) => isDeepStrictEqual(one, value));

/** Whether no two elements of a list are equal. */
export const isUnique = (list: readonly unknown[]): boolean =>
  list.every((one, at) => !list.slice(0, at).some((other) => isDeepStrictEqual(one, other)));

/** Whether an object has a number of properties. */
export const hasSize =
  (least: number, most = Infinity) =>
  (value: object): boolean =>
    Object.keys(value).length >= least && Object.keys(value).length <= most;

/** The elements of a list in a path or a header field, which is one text. */
export const splitText = <Item extends z.ZodType>(separator: string, items: z.ZodArray<Item>) =>
  z
    .string()
    .transform((one) => (one === "" ? [] : one.split(separator).map((part) => part.trim())))
    .pipe(items as unknown as z.ZodType<z.output<Item>[], string[]>);

/** Parses a raw body, which is JSON, with a schema; the value is `body` of the input. */
export const parseRaw =
  <Schema extends z.ZodType>(schema: Schema) =>
  <Input extends { readonly raw: Buffer }>(input: Input, ctx: z.RefinementCtx<Input>) => {
    const issues: { readonly path: readonly PropertyKey[]; readonly message: string }[] = [];
    try {
      const parsed = schema.safeParse(JSON.parse(input.raw.toString()));
      if (parsed.success) return { ...input, body: parsed.data };
      issues.push(...parsed.error.issues);
    } catch {
      issues.push({ path: [], message: "Invalid JSON" });
    }
    for (const { path, message } of issues)
      ctx.addIssue({ code: "custom", path: ["body", ...path], message });
    return z.NEVER;
  };

/** Whether an object has the properties of one of several lists; of exactly one if `isExclusive`. */
export const hasSome =
  (lists: readonly (readonly string[])[], isExclusive = false) =>
  (value: object): boolean => {
    const found = lists.filter((names) => names.every((name) => Object.hasOwn(value, name)));
    return isExclusive ? found.length === 1 : found.length > 0;
  };
