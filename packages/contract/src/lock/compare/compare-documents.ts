import type { Change } from "./change.ts";
import { compareContracts } from "./compare-contracts.ts";
import { toApiDescription } from "@sallyport/document";

/**
 * Compares two OpenAPI documents, and tells what has changed for clients.
 *
 * @param base the earlier document, of OpenAPI 3.0, 3.1 or 3.2
 * @param head the later document
 * @throws {DocumentError} when one of them is no such document, or has a reference that leads nowhere.
 */
export const compareDocuments = (base: unknown, head: unknown): readonly Change[] =>
  compareContracts(toApiDescription(base, "base"), toApiDescription(head, "head"));
