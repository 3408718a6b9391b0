// The undocumented parts of @fastify/busboy that sallyport uses. See ARCHITECTURE.md, "Undocumented parts of dependencies".
import type { Writable } from "node:stream";
import type { Dicer } from "@fastify/busboy";

/** Returns the inner parser of a parser, which has an event for each part, even for those that the parser skips. */
export const findPartParser = (parser: Writable): Dicer | undefined =>
  (parser as { readonly _parser?: { readonly parser?: Dicer } })._parser?.parser;
