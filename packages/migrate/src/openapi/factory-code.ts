import { isObject, toSimplest, type Json, type Schema } from "@sallyport/document";
import { block, code, identifier, imported, join, key, nothing, todo, type Code } from "./code.ts";
import type { Names } from "./names.ts";
import type { SchemaCode } from "./primitive-code.ts";

/** What errors of an endpoint are sent as. */
export interface ErrorBody {
  /** The same for equal bodies. */
  readonly key: string;
  readonly type: string;
  readonly schema: SchemaCode;
  readonly target: Schema;
}

const message =
  /^(?:message|detail|details|error|error_?description|title|reason|description|msg|text)$/i;
const status = /^(?:status|code|status_?code|http_?(?:status|code)|error_?code)$/i;

/** Writes a value of the schema of errors, with the message and the status of the error where they fit. */
const writeErrorBody = (target: Schema, given: Json | undefined, depth = 0): Code => {
  if (!isObject(given) || depth > 3) return code`${given ?? {}}`;
  const properties = target.properties ?? {};
  const names = new Set([
    ...Object.keys(given),
    ...Object.keys(properties).filter((name) => message.test(name)),
  ]);
  const members = [...names].flatMap((name) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const { types, enum: values, format, patterns, maxLength } = property ?? {};
    const isFree = !values && !format && !patterns && maxLength === undefined;
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (isFree && types?.join() === "string" && message.test(name))
      return [code`${key(name)}: message`];
    if (!values && types?.includes("integer") && status.test(name))
      return [code`${key(name)}: status`];
    if (value === undefined) return [];
    return [code`${key(name)}: ${property ? writeErrorBody(property, value, depth + 1) : value}`];
  });
  return block(members);
};

/** The factories of the endpoints, one for each way to send successes and errors. */
export class Factories {
  readonly #names: Names;
  readonly #known = new Map<string, Code>();
  readonly #declarations: Code[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  /** Returns the factory for endpoints without credentials. */
  find(base: "bare" | "replies", body: ErrorBody | undefined): Code {
    const id = `${base} ${body?.key ?? ""}`;
    const known = this.#known.get(id);
    if (known) return known;
    const name = this.#names.take(base === "bare" ? "factory" : "replyFactory");
    const factory = imported(name, "./factories");
    this.#known.set(id, factory);
    const create = imported(base === "bare" ? "createFactory" : "createReplyFactory", "./replies");
    this.#declarations.push(
      code`${body ? todo("Say in this body what clients need to know about an error.") : nothing}export const ${identifier(name)} = ${create}(${body ? this.#writeBody(body) : nothing});`,
    );
    return factory;
  }

  #writeBody({ type, schema, target }: ErrorBody): Code {
    const written = writeErrorBody(target, toSimplest(target));
    const uses = ["status", "message"].filter((name) =>
      new RegExp(`: ${name}\\b`).test(written.text),
    );
    const args = uses.length > 0 ? code`{ ${join(uses.map(identifier))} }` : nothing;
    return code`{ type: ${type}, schema: ${schema.code}, write: (${args}) => (${written}) }`;
  }

  get declarations(): readonly Code[] {
    return this.#declarations;
  }
}
