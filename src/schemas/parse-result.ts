import type { z } from "zod";

/** The result of a parser: the parsed value, and the raw issues, none if the value fits. */
export interface ParseResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** Parses a value; returns a promise only if the schema has asynchronous parts. */
export type Parser = (value: unknown) => ParseResult | Promise<ParseResult>;
