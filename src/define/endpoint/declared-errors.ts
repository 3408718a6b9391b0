import {
  anything,
  be,
  checkDefinition,
  isObject,
  type Check,
} from "../../basics/messages/option-checks.ts";
import { show } from "../../basics/messages/show.ts";
import { DefinitionError, isRequestErrorCode } from "../../basics/errors.ts";
import { isErrorStatus } from "../../wire/reply/http-error.ts";
import { toSchema, type AnySchema } from "../../basics/schemas/schema.ts";

/** The statuses that editors suggest; the compiler also infers any other number as a literal. */
type UsualStatus =
  | (400 | 401 | 402 | 403 | 404 | 406 | 409 | 410 | 412 | 422 | 423 | 424 | 425 | 429 | 451)
  | (500 | 501 | 502 | 503 | 504);

/** The declaration of an error that a handler or a middleware throws. */
export interface ErrorDeclaration<Data extends AnySchema = AnySchema> {
  /**
   * The status of an error that is declared under a name, from 400 to 599.
   *
   * @default the key in `errors`
   */
  readonly status?: UsualStatus | (number & {}) | undefined;
  /** When the error is thrown; used in documents. */
  readonly description: string;
  /**
   * Schema of the `data` that the thrown error carries. The data is parsed with this schema before it is sent.
   *
   * @default none, so only the message is sent
   */
  readonly schema?: Data | undefined;
  /**
   * The URI of the kind of problem, for problem details. It is sent in place of the type of the thrown error.
   *
   * @default the type of the thrown error, or `about:blank`
   * @see RFC 9457, section 3.1.1
   */
  readonly type?: string | undefined;
  /**
   * A short summary of the kind of problem, for problem details, unless the thrown error has one.
   *
   * @default the reason phrase of the status
   */
  readonly title?: string | undefined;
  /** The headers that the thrown error carries, each with a description; used in documents. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The errors that a handler or a middleware throws: under its status, from 400 to 599, a description or a declaration,
 * and under a name a declaration with a `status`. Clients receive the name as `code`.
 *
 * @example
 * errors: { 404: "No such book", soldOut: { status: 409, description: "Sold out", schema: z.object({ until: z.iso.date() }) } }
 */
export type ErrorDeclarations = Readonly<Record<string, string | ErrorDeclaration>>;

/** {@link ErrorDeclarations} as an interface, which the compiler does not resolve again for each endpoint. */
export interface AnyErrors extends ErrorDeclarations {}

/** What is wrong with the keys of declarations, as a type that no declaration has. */
export type ErrorFaults<Errors> = {
  readonly [
    Key in keyof Errors as [FaultOf<Key, Errors[Key]>] extends [never] ? never : Key
  ]: FaultOf<Key, Errors[Key]>;
};

type FaultOf<Key, Declaration> = Key extends number
  ? number extends Key
    ? never
    : `${Key}` extends `4${string}` | `5${string}`
      ? never
      : "The status of an error is 400 to 599"
  : string extends Key
    ? never
    : Declaration extends { readonly status: infer Status extends number }
      ? number extends Status
        ? "The `status` must be known to the compiler: declare it in place, or with `as const`"
        : never
      : Declaration extends string
        ? NamedError
        : "An error that is declared under a name needs a `status`";

/** What a name needs in place of a string; a text, as for the other faults, would make the type of all errors `never`. */
interface NamedError {
  readonly status: UsualStatus;
  readonly description: string;
}

/** What is wrong with errors whose types the compiler does not infer, as a type that no declaration has. */
export type UninferredFault<Errors> = [keyof Errors] extends [never]
  ? {
      readonly "With type arguments, these errors have no types; define the middleware in `addMiddleware`": never;
    }
  : unknown;

/** The declaration of an error of the framework, whose name is its code. */
export interface OwnErrorDeclaration<Status extends number> {
  readonly status: Status;
  readonly description: string;
  readonly type?: string;
  readonly title?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The errors of several middlewares; a key that two of them declare has either declaration. */
export type JoinedErrors<First, Second> = {
  readonly [Key in keyof First | keyof Second]:
    | (Key extends keyof First ? First[Key] : never)
    | (Key extends keyof Second ? Second[Key] : never);
};

/** What a declaration says of the kind of an error. */
export interface DeclaredProblem {
  /** The name of the declaration. */
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly title?: string | undefined;
}

/** Returns the status of an error; `key` is what it is declared under. */
export const toDeclaredStatus = (key: string, declaration: string | ErrorDeclaration): number =>
  isStatus(key) ? Number(key) : Number((declaration as ErrorDeclaration).status);

/** Checks whether one of the declarations is for a status. */
export const declaresStatus = (errors: ErrorDeclarations | undefined, status: number): boolean =>
  Object.entries(errors ?? {}).some(([key, one]) => toDeclaredStatus(key, one) === status);

const isStatus = (key: string): boolean => /^\d+$/.test(key);

export const toErrorDeclarations = (
  where: string,
  errors: unknown,
): ErrorDeclarations | undefined => {
  if (errors === undefined) return undefined;
  if (!isObject(errors))
    throw toError(
      `${where}: \`errors\` must be an object whose keys are statuses or names, as in { 404: "No such user" }.`,
    );
  for (const [key, declaration] of Object.entries(errors as Record<string, unknown>))
    assertDeclaration(where, key, declaration);
  return Object.freeze({ ...errors }) as ErrorDeclarations;
};

const assertDeclaration = (where: string, key: string, declaration: unknown): void => {
  const place = `${where}: \`errors\` has ${JSON.stringify(key)}`;
  if (isStatus(key) && !isErrorStatus(Number(key)))
    throw toError(`${place}, which is not an error status (400 to 599).`);
  if (!isStatus(key)) assertName(place, key, declaration);
  if (typeof declaration === "string") return;
  if (typeof declaration !== "object" || declaration === null)
    throw toError(`${place} without a description; write ${key}: "When the error is thrown".`);
  checkDefinition(`${where}: \`errors[${key}]\``, declaration, declarationChecks);
  const { description, schema, type, title, headers, status } = declaration as Record<
    string,
    unknown
  >;
  if (isStatus(key) && status !== undefined && status !== Number(key))
    throw toError(`${place} with another \`status\`, ${show(status)}; remove it, or use a name.`);
  if (typeof description !== "string")
    throw toError(`${place} without a \`description\`; say when the error is thrown.`);
  if (schema !== undefined) toSchema(`${where}: the \`schema\` of \`errors[${key}]\``, schema);
  if (type !== undefined && !isUriReference(type))
    throw toError(`${place} with a \`type\` that is not a URI; got ${show(type)}.`);
  if (title !== undefined && (typeof title !== "string" || title.trim() === ""))
    throw toError(`${place} with a \`title\` that is not a text; got ${show(title)}.`);
  const texts = headers === undefined ? [] : Object.values(Object(headers) as object);
  if (texts.some((text) => typeof text !== "string"))
    throw toError(
      `${place} with \`headers\` that are not strings; describe each header with a string.`,
    );
};

const assertName = (place: string, name: string, declaration: unknown): void => {
  if (!/^[a-z_]\w*$/i.test(name))
    throw toError(
      `${place}, which is neither a status nor a name; a name has letters, digits and underscores, and does not begin with a digit.`,
    );
  if (/^slp_/i.test(name) && !isRequestErrorCode(name))
    throw toError(`${place}, but only codes of sallyport begin with SLP_; use another name.`);
  const status: unknown = Reflect.get(Object(declaration) as object, "status");
  if (!isErrorStatus(status))
    throw toError(
      `${place} without an error status; write ${name}: { status: 409, description: "When the error is thrown" }.`,
    );
};

const declarationChecks = {
  ...{ status: anything, description: anything, schema: anything },
  ...{ type: anything, title: anything, headers: anything },
};

const isUriReference = (value: unknown): boolean =>
  typeof value === "string" && /^[!-~]+$/.test(value) && URL.canParse(value, "http://localhost");

const toError = (text: string): DefinitionError =>
  new DefinitionError("SLP_DEFINITION_VALUE", text);

export const aSuccessStatus: Check = be(
  "a success status (200 to 299)",
  (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) < 300,
  (value) => `${show(value)}. To send an error, throw it and declare its status in \`errors\``,
);
