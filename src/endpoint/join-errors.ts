import type { Method } from "../http/method.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import { listAdditions, type Adding, type Additions } from "./additions.ts";
import type { DeclaredProblem, ErrorDeclaration } from "./declared-errors.ts";

/** All declarations of one status, for example by a middleware and by its endpoint. */
export interface DeclaredError extends DeclaredProblem {
  readonly descriptions: readonly string[];
  /** The schemas of the error's data, those of the endpoint first. */
  readonly schemas: readonly ZodSchema[];
  /** Whether a declaration has no schema, in which case an error without data is allowed. */
  readonly mayLackData: boolean;
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
): ReadonlyMap<number, DeclaredError> => {
  const joined = new Map<number, DeclaredError>();
  for (const { errors } of [endpoint, ...listAdditions(endpoint.middlewares, method)])
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
