import type { z } from "zod";

/** What a parser gives: the parsed value, and the raw issues, none when the value fits. */
export interface ParseResult {
  readonly value: unknown;
  readonly issues: readonly z.core.$ZodRawIssue[];
}

/** Parses a value; a promise only where the schema has asynchronous parts. */
export type Parser = (value: unknown) => ParseResult | Promise<ParseResult>;
