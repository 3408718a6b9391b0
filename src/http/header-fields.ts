import type { ServerResponse } from "node:http";
import { loadNodeHttp } from "../lazy/node-modules.ts";

/** Header fields as Node stores them in a response: by lower-case name, each with the name as given and the value. */
export type StoredFields = Record<string, [name: string, value: unknown]>;

type Response = ServerResponse & Record<symbol, StoredFields | null | undefined>;

/** The symbol under which Node stores header fields, and the method that stores them. */
interface Storage {
  readonly key: symbol;
  readonly setHeader: unknown;
}

/** Checks whether a method is Node's own; a tool that has replaced the method must see each call. */
export const isOfNode = (method: unknown, part: string): boolean =>
  typeof method === "function" && Function.prototype.toString.call(method).includes(part);

/** Finds out how Node stores header fields; returns undefined if this differs from what is expected here. */
const findStorage = (): Storage | undefined => {
  const { IncomingMessage, ServerResponse: NodeResponse } = loadNodeHttp();
  const response = new NodeResponse(new IncomingMessage(null as never)) as Response;
  const key = Object.getOwnPropertySymbols(response).find(
    ({ description }) => description === "kOutHeaders",
  );
  const { setHeader } = response as { readonly setHeader: unknown };
  if (!key || response[key] !== null || !isOfNode(setHeader, "[kOutHeaders]")) return undefined;
  response.setHeader("X-Name", "value");
  const isExpected = JSON.stringify(response[key]) === '{"x-name":["X-Name","value"]}';
  return isExpected ? { key, setHeader } : undefined;
};

let storage: Storage | false | undefined;

/** Returns the header fields of a response; null if none is set, undefined if they cannot be read this way. */
export const readFields = (response: ServerResponse): StoredFields | null | undefined => {
  storage ??= findStorage() ?? false;
  return storage ? (response as Response)[storage.key] : undefined;
};

/**
 * Creates a function that sets the given header fields, as `setHeader` does.
 *
 * `setHeader` checks each name and value with regular expressions and stores the fields in a dictionary. If a response
 * has no fields yet, the created function stores all fields at once, in an instance of a class, which V8 reads faster.
 */
export const createFieldSetter = (
  fields: Readonly<Record<string, string>>,
): ((response: ServerResponse) => void) => {
  const entries = Object.entries(fields);
  const stored = entries.map(([name, value]) => [name.toLowerCase(), name, value] as const);

  class Fields {
    [name: string]: [name: string, value: unknown];
    constructor() {
      // each response needs pairs of its own, because Node changes them
      for (const [key, name, value] of stored) this[key] = [name, value];
    }
  }
  // Node may look up any name, and must not find an inherited member
  Reflect.deleteProperty(Fields.prototype, "constructor");
  Object.freeze(Object.setPrototypeOf(Fields.prototype, null));

  return (response) => {
    const isEmpty = readFields(response) === null && !response.headersSent;
    if (isEmpty && storage && storage.setHeader === response.setHeader)
      (response as Response)[storage.key] = new Fields();
    else for (const [name, value] of entries) response.setHeader(name, value);
  };
};

/** The fields that Node treats specially, or reads in order to decide about other fields. */
const special: readonly string[] = [
  ...["connection", "content-disposition", "content-length", "content-type", "cookie", "date"],
  ...["expect", "keep-alive", "set-cookie", "trailer", "transfer-encoding", "upgrade"],
];

/** Whether Node writes a field as just its name and value, by lower-case name. */
const isPlain = new Map<string, boolean>(special.map((name) => [name, false]));
const maxNames = 512;

/** Formats header fields as Node writes them in a head; returns undefined if one of them is not known to be plain. */
export const spellFields = (fields: StoredFields): string | undefined => {
  let lines = "";
  for (const name in fields) {
    const field = fields[name];
    if (!field || isPlain.get(name) !== true || typeof field[1] !== "string") return undefined;
    lines += `${field[0]}: ${field[1]}\r\n`;
  }
  return lines;
};

/** The fields of a head that Node is about to write. */
export interface NewFields {
  readonly lines: string;
  /** The names in lower case. */
  readonly names: readonly string[];
}

/** Formats header fields, some of which have new names; returns undefined if one of them is known not to be plain. */
export const spellNewFields = (fields: StoredFields): NewFields | undefined => {
  const names = Object.keys(fields);
  if (isPlain.size + names.length > maxNames) return undefined;
  let lines = "";
  for (const [key, [name, value]] of Object.entries(fields)) {
    if (isPlain.get(key) === false || typeof value !== "string") return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  return { names, lines };
};

/** Records whether Node has written header fields as {@link spellNewFields} formatted them. */
export const learnFields = ({ names }: NewFields, isAsSpelled: boolean): void => {
  for (const name of names) if (isAsSpelled || !isPlain.has(name)) isPlain.set(name, isAsSpelled);
};
