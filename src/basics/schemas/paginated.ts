import { z } from "zod";
import { defaults } from "../defaults.ts";
import {
  aBoolean,
  anything,
  aPositiveInteger,
  be,
  checkOptions,
  type Checks,
} from "../messages/option-checks.ts";
import { show } from "../messages/show.ts";
import { suggest } from "../messages/unknown-names.ts";
import { DefinitionError } from "../errors.ts";
import { isCursorCodec, isText, type CursorCodec, type SignedCursor } from "./cursor.ts";
import { assertReversible, encode } from "./encode.ts";
import { toSchema, type ZodSchema } from "./schema.ts";
import { readTopLevel } from "./top-level-keys.ts";

/** A schema for an integer within a range, with a default; accepts a number or plain decimal digits. */
export type PlainInteger = z.ZodPrefault<
  z.ZodPipe<z.ZodUnion<readonly [z.ZodNumber, z.ZodCodec<z.ZodString, z.ZodNumber>]>, z.ZodNumber>
>;

/** Matches integers as `String` writes them: without a plus sign, leading zeros, spaces, a point or an exponent. */
const plainDigits = /^(?:0|-?[1-9]\d*)$/;

/** Creates the schema of an integer, given as a number or as plain decimal digits; it can be compiled. */
export const plainInteger = (minimum: number, maximum: number, preset: number): PlainInteger => {
  const digits = z.codec(z.string().regex(plainDigits), z.number(), {
    decode: Number,
    encode: String,
  });
  const schema = z
    .union([z.number(), digits], { error: "Invalid input: expected a plain integer" })
    .pipe(z.number().min(minimum, { abort: true }).max(maximum, { abort: true }).int())
    // documents show an integer, not the forms in which it can be sent
    .meta({ type: "integer", minimum, maximum, anyOf: undefined });
  // documents of an input would omit a `.default()`, because the schema transforms its value
  return schema.prefault(preset);
};

/** How pages are addressed: by the number of items to skip, or by a string that marks the end of the previous page. */
export type PaginationStyle = "cursor" | "offset";

/** The names of an output's fields other than its items. */
const reservedNames = {
  cursor: ["nextCursor", "limit"],
  offset: ["total", "limit", "offset"],
} as const;

/** The schema of a cursor: that of `ez.cursor`, or a string schema if the handler checks the cursor itself. */
export type CursorText = CursorCodec | z.ZodString;

/** The argument of `ez.paginated`. */
export interface PaginatedOptions<
  Style extends PaginationStyle,
  Item extends z.core.SomeType,
  Name extends string,
  Text extends CursorText,
> {
  /** With `offset`, the input has `limit` and `offset`; with `cursor`, it has `limit` and `cursor`. */
  readonly style: Style;
  /** Schema of one item. */
  readonly itemSchema: Item;
  /**
   * The name of the array of items in the output.
   *
   * @default "items"
   */
  readonly itemsName?:
    | (Name extends (typeof reservedNames)[Style][number]
        ? `itemsName "${Name}" is reserved in ${Style} style`
        : Name)
    | undefined;
  /**
   * The largest page that a client may request, in items; a larger `limit` is rejected.
   *
   * @default 100
   */
  readonly maxLimit?: number | undefined;
  /**
   * The page size if the client sends no `limit`, in items.
   *
   * @default 20, or `maxLimit` if that is smaller
   */
  readonly defaultLimit?: number | undefined;
  /**
   * Schema of a cursor. With `ez.cursor`, the handler receives and returns a value, and the client receives a string
   * that it can only send back unchanged.
   *
   * @default any string, which the handler creates and checks itself
   */
  readonly cursor?:
    | (Style extends "offset" ? "`cursor` is only allowed in cursor style" : Text)
    | undefined;
  /**
   * Whether successful responses to GET and HEAD have a `Link` header with a link to the next page and, in offset
   * style, links to the previous, the first and the last page.
   *
   * @default false
   * @see RFC 8288
   */
  readonly links?: boolean | undefined;
}

/** The input of offset pagination. */
export type OffsetInput = z.ZodObject<{
  limit: PlainInteger;
  offset: PlainInteger;
}>;

/** The input of cursor pagination. */
export type CursorInput<Text extends CursorText> = z.ZodObject<{
  cursor: z.ZodOptional<Text>;
  limit: PlainInteger;
}>;

/** The items under their name, and further fields; under any key if the name is not a literal type. */
type PageShape<Name extends string, Item extends z.core.SomeType, Fields> = string extends Name
  ? Readonly<Record<string, Fields[keyof Fields] | z.ZodArray<Item>>>
  : { [Key in Name | keyof Fields]: Key extends keyof Fields ? Fields[Key] : z.ZodArray<Item> };

/** The output of offset pagination. */
export type OffsetOutput<Item extends z.core.SomeType, Name extends string> = z.ZodObject<
  PageShape<Name, Item, { total: z.ZodInt; limit: z.ZodInt; offset: z.ZodInt }>
>;

/** The output of cursor pagination; `nextCursor` is null on the last page. */
export type CursorOutput<
  Item extends z.core.SomeType,
  Name extends string,
  Text extends CursorText,
> = z.ZodObject<
  PageShape<
    Name,
    Item,
    {
      nextCursor: z.ZodNullable<Text extends CursorCodec ? SignedCursor<Text> : Text>;
      limit: z.ZodInt;
    }
  >
>;

/** The result of {@link paginated}: the input and output schemas of an endpoint. */
export type Paginated<
  Style extends PaginationStyle,
  Item extends z.core.SomeType,
  Name extends string,
  Text extends CursorText,
> = Style extends "offset"
  ? { readonly input: OffsetInput; readonly output: OffsetOutput<Item, Name> }
  : { readonly input: CursorInput<Text>; readonly output: CursorOutput<Item, Name, Text> };

/** The options with which {@link paginated} created a schema. */
export interface Pagination {
  readonly style: PaginationStyle;
  readonly itemsName: string;
  readonly maxLimit: number;
  readonly defaultLimit: number;
  readonly hasLinks: boolean;
}

/**
 * Creates the input and output schemas of an endpoint that returns pages of a list, as object schemas.
 *
 * `limit` and `offset` are given as numbers or as plain decimal digits: `5` or `"5"`, but not `"05"`, `"1e1"` or `""`. A
 * `limit` over `maxLimit` is rejected.
 *
 * @throws {@link DefinitionError} when an option is invalid.
 * @example
 * const users = ez.paginated({ style: "offset", itemSchema: z.object({ name: z.string() }), itemsName: "users" });
 *
 * const listUsers = defaultEndpointsFactory.build({
 *   input: users.input.and(z.object({ role: z.string().optional() })),
 *   output: users.output,
 *   handler: async ({ input: { limit, offset } }) => ({ users: [], total: 0, limit, offset }),
 * });
 */
export const paginated = <
  Style extends PaginationStyle,
  Item extends z.core.SomeType,
  Name extends string = "items",
  Text extends CursorText = z.ZodString,
>(
  options: PaginatedOptions<Style, Item, Name, Text>,
): Paginated<Style, Item, Name, Text> => {
  const pagination = toPagination(options as UncheckedOptions);
  const { style, itemsName: name, maxLimit, defaultLimit } = pagination;
  const pageSize = `Page size (number of ${name} per page)`;
  const limit = plainInteger(1, maxLimit, defaultLimit).describe(pageSize);
  const usedLimit = z.int().min(1).describe(pageSize);
  for (const field of [limit, usedLimit])
    for (const place of [field, field._zod.def])
      Object.defineProperty(place, paginationMark, { configurable: true, value: pagination });
  const offset = plainInteger(0, Number.MAX_SAFE_INTEGER, 0);
  const items = z.array(options.itemSchema).describe(`Page of ${name}`);
  const { cursor = z.string() } = options as { readonly cursor?: CursorText | undefined };
  const pages =
    style === "offset"
      ? {
          input: z.object({ limit, offset: offset.describe(`Number of ${name} to skip`) }),
          output: z.object({
            [name]: items,
            total: z.int().min(0).describe(`Total number of ${name}`),
            limit: usedLimit,
            offset: z.int().min(0).describe(`Number of ${name} skipped`),
          }),
        }
      : {
          input: z.object({
            cursor: z
              .optional(cursor)
              .describe("`nextCursor` of the previous page; omitted for the first page"),
            limit,
          }),
          output: z.object({
            [name]: items,
            nextCursor: z
              .nullable(isCursorCodec(cursor) ? encode(cursor).pipe(z.string()) : cursor)
              .describe("`cursor` of the next page; null on the last page"),
            limit: usedLimit,
          }),
        };
  return pages as unknown as Paginated<Style, Item, Name, Text>;
};

/** Returns the options with which {@link paginated} created an input or output schema; undefined for other schemas. */
export const readPagination = (schema: ZodSchema): Pagination | undefined => {
  const { fields } = readTopLevel(schema);
  let field = fields.get("limit") as Marked | undefined;
  // the marked schema may be inside a wrapper such as `.optional()`
  while (field && !readMark(field)) field = field._zod.def.innerType;
  const pagination = field && readMark(field);
  // a schema that contains only the field `limit` of a page is not a page
  const places = pagination?.style === "offset" ? ["offset"] : ["cursor", "nextCursor"];
  return places.some((name) => fields.has(name)) ? pagination : undefined;
};

/** The mark of the field `limit`, and of its definition, which is all that `.describe()` and the like copy. */
const paginationMark: unique symbol = Symbol.for("sallyport/pagination");

interface Marked {
  readonly [paginationMark]?: Pagination;
  readonly _zod: { readonly def: Partial<Marked> & { readonly innerType?: Marked } };
}

const readMark = (field: Marked): Pagination | undefined =>
  field[paginationMark] ?? field._zod.def[paginationMark];

const optionChecks: Checks = {
  style: anything,
  itemSchema: anything,
  itemsName: be(
    'the name of a property, such as "users"',
    (name) => typeof name === "string" && name !== "__proto__",
  ),
  maxLimit: aPositiveInteger,
  defaultLimit: aPositiveInteger,
  cursor: be(
    "a schema made by ez.cursor, or another string schema",
    (schema) => isCursorCodec(schema) || isText(schema),
  ),
  links: aBoolean,
};

type UncheckedOptions = Omit<
  PaginatedOptions<"cursor", z.core.SomeType, string, CursorText>,
  "style"
> & { readonly style: PaginationStyle };

const toPagination = (options: UncheckedOptions): Pagination => {
  checkOptions("ez.paginated", options, optionChecks);
  const { paginated: usual } = defaults;
  const {
    style,
    itemSchema,
    cursor,
    itemsName = usual.itemsName,
    links: hasLinks = false,
  } = options;
  if (!Object.hasOwn(reservedNames, style)) {
    const more = typeof style === "string" ? suggest(style, Object.keys(reservedNames)) : "";
    throw wrong("style", '"offset" or "cursor"', style, more);
  }
  toSchema("ez.paginated: `itemSchema`", itemSchema);
  const { maxLimit = usual.maxLimit } = options;
  const { defaultLimit = Math.min(usual.defaultLimit, maxLimit) } = options;
  if (defaultLimit > maxLimit)
    throw wrong("defaultLimit", `no greater than \`maxLimit\`, which is ${maxLimit}`, defaultLimit);
  const reserved: readonly string[] = reservedNames[style];
  if (reserved.includes(itemsName))
    throw wrong(
      "itemsName",
      `a name other than ${reserved.join(", ")}, which are reserved in ${style} style`,
      itemsName,
      ' Use another name, such as "items".',
    );
  if (style === "offset" && cursor !== undefined)
    throw new DefinitionError(
      "SLP_DEFINITION_VALUE",
      'ez.paginated: `cursor` is only allowed in cursor style. Omit it, or set `style: "cursor"`.',
    );
  if (isCursorCodec(cursor)) assertReversible("ez.paginated: `cursor`", cursor);
  return Object.freeze({ style, itemsName, maxLimit, defaultLimit, hasLinks });
};

const wrong = (name: string, expected: string, value: unknown, more = ""): DefinitionError =>
  new DefinitionError(
    "SLP_DEFINITION_VALUE",
    `ez.paginated: \`${name}\` must be ${expected}; got ${show(value)}.${more}`,
  );
