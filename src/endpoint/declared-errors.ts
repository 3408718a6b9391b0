import { anything, be, checkDefinition, isObject, type Check } from "../messages/option-checks.ts";
import { show } from "../messages/show.ts";
import { DefinitionError } from "../errors.ts";
import { isErrorStatus } from "../reply/http-error.ts";
import { toSchema, type AnySchema, type ZodSchema } from "../schemas/schema.ts";
import { methodFacts, type Method } from "../http/method.ts";
import type { Conditions } from "./conditions.ts";

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

/** All declarations of one status, for example by a middleware and by its endpoint. */
export interface DeclaredError extends DeclaredProblem {
  readonly descriptions: readonly string[];
  /** The schemas of the error's data, those of the endpoint first. */
  readonly schemas: readonly ZodSchema[];
  /** Whether a declaration has no schema, in which case an error without data is allowed. */
  readonly mayLackData: boolean;
  readonly headers: Readonly<Record<string, string>>;
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

interface Declaring {
  readonly errors?: ErrorDeclarations | undefined;
  readonly isForWrites?: boolean | undefined;
}

/** Leaves out the middlewares that do nothing for a method; without a method, none. */
export const selectActive = <One extends Declaring>(
  middlewares: readonly One[],
  method: Method | undefined,
): readonly One[] => middlewares.filter(({ isForWrites }) => !isForWrites || mayWrite(method));

const mayWrite = (method: Method | undefined): boolean =>
  method === undefined || !methodFacts[method].isSafe;

/**
 * Merges the errors that an endpoint and its middlewares declare, by status; those of the endpoint come first.
 *
 * @param method the method whose errors are wanted; by default, those of all methods
 */
export const joinErrors = (
  endpoint: Declaring & {
    readonly middlewares: readonly Declaring[];
    readonly deprecation?: { readonly gone?: boolean | undefined } | undefined;
    readonly conditions?: Conditions | undefined;
  },
  method?: Method,
): ReadonlyMap<number, DeclaredError> => {
  const joined = new Map<number, DeclaredError>();
  const { gone } = endpoint.deprecation ?? {};
  const { ifMatch, version } = endpoint.conditions ?? {};
  const isWrite = mayWrite(method);
  const ofOptions = {
    ...(gone && { 410: "Gone" }),
    ...(ifMatch &&
      (isWrite || version) && { 412: "The resource has another version than the request expects" }),
    ...(ifMatch === "required" &&
      isWrite && { 428: "The request does not name a version in If-Match" }),
  };
  const active = selectActive(endpoint.middlewares, method);
  for (const { errors } of [endpoint, ...active, { errors: ofOptions }])
    for (const [key, declaration] of Object.entries(errors ?? {})) {
      const one = typeof declaration === "string" ? { description: declaration } : declaration;
      const status = Number(key);
      joined.set(status, join(joined.get(status), one));
    }
  return joined;
};

const join = (
  known: DeclaredError | undefined,
  { description, schema, type, title, headers }: ErrorDeclaration,
): DeclaredError => {
  const { descriptions = [], schemas = [], mayLackData = false } = known ?? {};
  const more = schema && !schemas.includes(schema as ZodSchema) ? [schema as ZodSchema] : [];
  return {
    descriptions: [...new Set([...descriptions, description])],
    schemas: [...schemas, ...more],
    mayLackData: mayLackData || schema === undefined,
    // what another declaration of the status does not say cannot be said of all
    type: known && known.type !== type ? undefined : type,
    title: known && known.title !== title ? undefined : title,
    headers: { ...headers, ...known?.headers },
  };
};
