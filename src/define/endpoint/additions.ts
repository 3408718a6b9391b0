import { methodFacts, type Method } from "../../basics/http/method.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import type { ErrorDeclarations } from "./declared-errors.ts";
import type { Security } from "./security.ts";

/** What a middleware adds to the operations that it is part of; read by documents, clients and warnings. */
export interface Additions {
  readonly security?: Security | undefined;
  readonly errors?: ErrorDeclarations | undefined;
  /** The schema of the header fields that clients send. */
  readonly headersSchema?: ZodSchema | undefined;
  /** Whether each call has values of its own for these fields, so that the types of clients demand them. */
  readonly differsByCall?: boolean | undefined;
  /** Returns the schema of the header fields with conditions; for methods that only read, 304 is a response, too. */
  readonly conditions?: (() => ZodSchema) | undefined;
  /** The header fields that it sets on each response, each with a description. */
  readonly sentFields?: Readonly<Record<string, string>> | undefined;
  /** The header fields that it sets on successful responses only. */
  readonly successFields?: Readonly<Record<string, string>> | undefined;
  /** Returns what follows the description of the operation; `link` makes a link of a URL or the path of a route. */
  readonly notes?: ((link: (target: string) => string) => string) | undefined;
  /** Extensions of the operation in documents. */
  readonly extensions?: Readonly<Record<`x-${string}`, unknown>> | undefined;
}

/** The part of a middleware that tells what it adds. */
export interface Adding extends Additions {
  /** Returns what it adds in place of its own members, if that depends on whether the method only reads. */
  readonly addsFor?: ((isSafe: boolean) => Additions) | undefined;
}

/** Lists what middlewares add for a method; by default, for methods that write. */
export const listAdditions = (
  middlewares: readonly Adding[],
  method?: Method,
): readonly Additions[] => {
  const isSafe = method !== undefined && methodFacts[method].isSafe;
  return middlewares.map((one) => one.addsFor?.(isSafe) ?? one);
};
