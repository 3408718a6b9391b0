import { UsageError } from "../usage-error.ts";
import { isObject } from "./load-contracts.ts";

/** What the fields of an object depend on. */
export interface ObjectFacts {
  readonly fields: readonly string[];
  /** Whether it has nothing but fields, so that they may be merged with others. */
  readonly isPlain: boolean;
  readonly isStrict: boolean;
}

/** What a part of a contract is. */
export type Kind =
  | { readonly type: "none" | "array" | "other" | "null" | "types-only" | "content" }
  | { readonly type: "object"; readonly facts: ObjectFacts };

/** The shape of a schema of Zod 4, as far as it is read. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly catchall?: { readonly _zod: { readonly def: Definition } };
  readonly checks?: readonly unknown[];
  readonly in?: unknown;
  readonly out?: unknown;
  readonly left?: unknown;
  readonly right?: unknown;
  readonly options?: readonly unknown[];
}

const toDefinition = (value: unknown): Definition | undefined => {
  if (!isObject(value)) return undefined;
  if (isObject(value["_zod"])) return value["_zod"]["def"] as Definition;
  if (isObject(value["_def"]) && "typeName" in value["_def"])
    throw new UsageError("The contract has schemas of Zod 3. Run: npm install zod@4");
  return undefined;
};

/** Tells what a part of a contract is, of which `direction` is read. */
export const toKind = (value: unknown, direction: "in" | "out"): Kind => {
  if (value === undefined || value === null) return { type: "none" };
  if (typeof value === "symbol")
    return { type: value.description === "ContractNoBody" ? "none" : "types-only" };
  const definition = toDefinition(value);
  if (!definition)
    return { type: isObject(value) && "contentType" in value ? "content" : "types-only" };
  const { type, shape = {}, catchall, checks = [] } = definition;
  const inner = (part: unknown): Kind => toKind(part, direction);
  const toFree = (kinds: readonly Kind[]): Kind => {
    const facts = kinds.flatMap((kind) => ("facts" in kind ? [kind.facts] : []));
    if (facts.length < kinds.length || facts.length === 0) return { type: "other" };
    const fields = [...new Set(facts.flatMap((one) => one.fields))];
    const isStrict = facts.some((one) => one.isStrict);
    return { type: "object", facts: { fields, isPlain: false, isStrict } };
  };
  switch (type) {
    case "object":
      return {
        type: "object",
        facts: {
          fields: Object.keys(shape),
          isPlain: catchall === undefined && checks.length === 0,
          isStrict: catchall?._zod.def.type === "never",
        },
      };
    case "record":
      return { type: "object", facts: { fields: [], isPlain: false, isStrict: false } };
    case "pipe":
      return toFree([inner(definition[direction])]);
    case "intersection":
      return toFree([inner(definition.left), inner(definition.right)]);
    case "union":
      return toFree((definition.options ?? []).map(inner));
    case "array":
      return { type: "array" };
    case "undefined":
    case "void":
    case "never":
      return { type: "none" };
    case "null":
      return { type: "null" };
    default:
      return { type: "other" };
  }
};
