import { RequestError } from "../../basics/errors.ts";
import { BareObject } from "../../basics/http/query.ts";

/** Values by key; a value is a branch itself if it has keys. */
type Branch = Map<string, unknown>;

const bracketed = /^[^[\]]+(?:\[[^[\]]*\])+$/;
const index = /^(?:0|[1-9]\d{0,2})$/;

/** The most brackets in a name, as in the extended query parser. */
const maxDepth = 5;

/**
 * Nests the values of a form by the brackets in their names: `o[k]` is the property `k` of `o`, and `a[0]` and `a[]`
 * are elements of `a`. An array has no holes, and is in the order of its indexes.
 */
export const nestNames = (flat: object): object => {
  const root: Branch = new Map();
  for (const [name, value] of Object.entries(flat)) {
    const path = toPath(name);
    const last = path.pop() ?? "";
    let branch = root;
    for (const key of path) branch = enter(branch, key);
    for (const one of last === "" ? [value].flat() : [value]) put(branch, last, one);
  }
  return toObject(root);
};

const toPath = (name: string): string[] => {
  if (!bracketed.test(name)) return [name];
  const path = name.slice(0, -1).split(/\]?\[/);
  if (path.length - 1 > maxDepth) throw new RequestError("SLP_BODY_TOO_DEEP");
  if (path.some((key, at) => isForbidden(key, path[at + 1])))
    throw new RequestError("SLP_BODY_FORBIDDEN_KEY");
  return path;
};

const isForbidden = (key: string, next: string | undefined): boolean =>
  key === "__proto__" || (key === "constructor" && next === "prototype");

const enter = (branch: Branch, key: string): Branch => {
  const known = branch.get(key);
  if (known instanceof Map) return known as Branch;
  const next: Branch = new Map();
  put(branch, key, next);
  return next;
};

/** Adds a value; an empty key stands for the first free index. */
const put = (branch: Branch, key: string, value: unknown): void => {
  if (branch.has(key)) throw new RequestError("SLP_BODY_MALFORMED_FORM");
  branch.set(key === "" ? toNext(branch) : key, value);
};

const toNext = (branch: Branch): string => {
  let next = branch.size;
  while (branch.has(String(next))) next++;
  return String(next);
};

const toObject = (branch: Branch): object => {
  const object = new BareObject();
  for (const [key, value] of branch) object[key] = value instanceof Map ? toValue(value) : value;
  return object;
};

const toValue = (branch: Branch): object => {
  const object = toObject(branch);
  // the indexes among the keys of an object come first, in ascending order
  return [...branch.keys()].every((key) => index.test(key)) ? Object.values(object) : object;
};
