import type { z } from "zod";

/** The result of a parser: the parsed value and the raw issues. There are no issues if the value fits. */
export interface ParseResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** A function that parses a value; it returns a promise only if the schema has asynchronous parts. */
export type Parser = (value: unknown) => ParseResult | Promise<ParseResult>;
