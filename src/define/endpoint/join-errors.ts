import type { Method } from "../../basics/http/method.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import { listAdditions, type Adding, type Additions } from "./additions.ts";
import {
  toDeclaredStatus,
  type DeclaredProblem,
  type ErrorDeclaration,
} from "./declared-errors.ts";

/** The errors of one status that have the same code and type. */
export interface ErrorKind extends DeclaredProblem {
  /** The schemas of the data, those of the endpoint first. */
  readonly schemas: readonly ZodSchema[];
  /** Whether a declaration has no schema, in which case an error without data is allowed. */
  readonly mayLackData: boolean;
  /** When the error is thrown, and its message, unless it has another. */
  readonly description?: string | undefined;
}

/** All declarations of one status, for example by a middleware and by its endpoint. */
export interface DeclaredErrors {
  readonly descriptions: readonly string[];
  readonly kinds: readonly ErrorKind[];
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Merges the errors that an endpoint and its middlewares declare, by status; those of the endpoint come first.
 *
 * @param method the method whose errors are wanted; by default, those of all methods
 */
export const joinErrors = (
  endpoint: Additions & { readonly middlewares: readonly Adding[] },
  method?: Method,
): ReadonlyMap<number, DeclaredErrors> => {
  const joined = new Map<number, DeclaredErrors>();
  for (const { errors } of [endpoint, ...listAdditions(endpoint.middlewares, method)])
    for (const [key, one] of Object.entries(errors ?? {})) {
      const status = toDeclaredStatus(key, one);
      const declaration = typeof one === "string" ? { description: one } : one;
      const code = status === Number(key) ? undefined : key;
      joined.set(status, join(joined.get(status), declaration, code));
    }
  return joined;
};

const join = (
  known: DeclaredErrors | undefined,
  { description, schema, type, title, headers }: ErrorDeclaration,
  code: string | undefined,
): DeclaredErrors => {
  const { descriptions = [], kinds = [] } = known ?? {};
  const same = kinds.find((kind) => kind.code === code && kind.type === type);
  const { schemas = [], mayLackData = false } = same ?? {};
  const more = schema && !schemas.includes(schema as ZodSchema) ? [schema as ZodSchema] : [];
  const kind = {
    ...{ code, type, description: same?.description ?? description },
    schemas: [...schemas, ...more],
    mayLackData: mayLackData || schema === undefined,
    // what another declaration of the kind does not say cannot be said of all
    title: same && same.title !== title ? undefined : title,
  };
  return {
    descriptions: [...new Set([...descriptions, description])],
    kinds: same ? kinds.map((one) => (one === same ? kind : one)) : [...kinds, kind],
    headers: { ...headers, ...known?.headers },
  };
};

/** Returns the kind of an error that was not created with a function of `errors`; undefined if it could be several. */
export const toUsualKind = ({ kinds }: DeclaredErrors): ErrorKind | undefined => {
  const own = kinds.filter(({ code }) => !code?.startsWith("SLP_"));
  const unnamed = own.filter(({ code }) => code === undefined);
  const [first, ...others] = unnamed.length > 0 ? unnamed : own;
  if (!first || (first.code !== undefined && others.length > 0)) return undefined;
  return {
    ...first,
    schemas: [...new Set([first, ...others].flatMap(({ schemas }) => schemas))],
    mayLackData: [first, ...others].some(({ mayLackData }) => mayLackData),
  };
};

/** Returns the kind of the errors of one declaration. */
export const toKind = ({ schema, type, title }: ErrorDeclaration): ErrorKind => ({
  ...{ type, title },
  schemas: schema ? [schema as ZodSchema] : [],
  mayLackData: schema === undefined,
});
