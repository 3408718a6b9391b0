import { methodFacts, type Method } from "../http/method.ts";
import type { ZodSchema } from "../schemas/schema.ts";
import type { DeclaredProblem, ErrorDeclaration, ErrorDeclarations } from "./declared-errors.ts";
import type { Security } from "./security.ts";

/** What a middleware adds to the operations that it is part of; read by documents, clients and warnings. */
export interface Declared {
  readonly security?: Security | undefined;
  readonly errors?: ErrorDeclarations | undefined;
  /** The schema of the header fields that clients send. */
  readonly headersSchema?: ZodSchema | undefined;
  /** Returns the schema of the header fields with conditions; for methods that only read, 304 is a response, too. */
  readonly conditions?: (() => ZodSchema) | undefined;
  /** The header fields that it sets on each response, each with a description. */
  readonly sentFields?: Readonly<Record<string, string>> | undefined;
  /** The header fields that it sets on successful responses only. */
  readonly successFields?: Readonly<Record<string, string>> | undefined;
  /** What follows the description of the operation. */
  readonly notes?: string | undefined;
  /** Extensions of the operation in documents. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>> | undefined;
}

interface Declaring extends Declared {
  readonly declares?: ((isSafe: boolean) => Declared) | undefined;
}

/** Lists what middlewares declare for a method; by default, for methods that write. */
export const listDeclared = (
  middlewares: readonly Declaring[],
  method?: Method,
): readonly Declared[] => {
  const isSafe = method !== undefined && methodFacts[method].isSafe;
  return middlewares.map((one) => one.declares?.(isSafe) ?? one);
};

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
  endpoint: Declared & { readonly middlewares: readonly Declaring[] },
  method?: Method,
): ReadonlyMap<number, DeclaredError> => {
  const joined = new Map<number, DeclaredError>();
  for (const { errors } of [endpoint, ...listDeclared(endpoint.middlewares, method)])
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
