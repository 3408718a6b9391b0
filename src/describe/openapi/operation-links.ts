import type { OperationIds } from "../api/operation-ids.ts";
import type { Operation } from "../api/operation.ts";

/** Writes a path without the names of its parameters, because those of another route may differ. */
const toShape = (path: string): string => path.replaceAll(/[:*][A-Za-z_$][\w$]*/g, ":");

/**
 * Writes a link in Markdown to a URL, or to the operation at a path, preferably with the same method; a path without an
 * operation in the document is left as it is.
 */
export const toLink = (
  target: string,
  { method }: Operation,
  operations: readonly Operation[],
  ids: OperationIds,
): string => {
  const here = operations.filter(({ path }) => toShape(path) === toShape(target));
  const operation = here.find((one) => one.method === method) ?? here[0];
  if (!operation && !/^https?:/i.test(target)) return target;
  const text = target.replaceAll(/[[\]*]/g, String.raw`\$&`);
  return `[${text}](${encode(operation ? toFragment(operation, ids) : target)})`;
};

/** Returns the fragment with which Swagger UI shows an operation. */
const toFragment = (operation: Operation, ids: OperationIds): string => {
  const [tag = "default"] = operation.endpoint.tags;
  return `#/${[tag, ids.find(operation)].map(encodeURIComponent).join("/")}`;
};

/** Encodes what would end a link. */
const encode = (url: string): string => url.replaceAll("(", "%28").replaceAll(")", "%29");
