import { anything, be, checkDefinition, isObject, type Check } from "../messages/option-checks.ts";
import { show } from "../messages/show.ts";
import { DefinitionError } from "../errors.ts";
import { isErrorStatus } from "../reply/http-error.ts";
import { toSchema, type AnySchema } from "../schemas/schema.ts";

/** The declaration of an error that a handler or a middleware throws. */
export interface ErrorDeclaration<Data extends AnySchema = AnySchema> {
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
 * The statuses of the errors that a handler or a middleware throws, from 400 to 599, each with a description or a
 * declaration.
 */
export type ErrorDeclarations = Readonly<Record<number, string | ErrorDeclaration>>;

/** {@link ErrorDeclarations} as an interface, which the compiler does not resolve again for each endpoint. */
export interface AnyErrors extends ErrorDeclarations {}

/** The errors of several middlewares; a status that two of them declare has either declaration. */
export type JoinedErrors<First, Second> = {
  readonly [Status in keyof First | keyof Second]:
    | (Status extends keyof First ? First[Status] : never)
    | (Status extends keyof Second ? Second[Status] : never);
};

/** The kind of problem that all declarations of a status name. */
export interface DeclaredProblem {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
}

export const toErrorDeclarations = (
  where: string,
  errors: unknown,
): ErrorDeclarations | undefined => {
  if (errors === undefined) return undefined;
  if (!isObject(errors))
    throw toError(
      `${where}: \`errors\` must be an object whose keys are statuses, as in { 404: "No such user" }.`,
    );
  for (const [status, declaration] of Object.entries(errors as Record<string, unknown>))
    assertDeclaration(where, status, declaration);
  return Object.freeze({ ...errors }) as ErrorDeclarations;
};

const assertDeclaration = (where: string, status: string, declaration: unknown): void => {
  const place = `${where}: \`errors\` has ${JSON.stringify(status)}`;
  if (!isErrorStatus(Number(status)))
    throw toError(`${place}, which is not an error status (400 to 599).`);
  if (typeof declaration === "string") return;
  if (typeof declaration !== "object" || declaration === null)
    throw toError(`${place} without a description; write ${status}: "When the error is thrown".`);
  checkDefinition(`${where}: \`errors[${status}]\``, declaration, declarationChecks);
  const { description, schema, type, title, headers } = declaration as Record<string, unknown>;
  if (typeof description !== "string")
    throw toError(`${place} without a \`description\`; say when the error is thrown.`);
  if (schema !== undefined) toSchema(`${where}: the \`schema\` of \`errors[${status}]\``, schema);
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

const declarationChecks = {
  ...{ description: anything, schema: anything },
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
