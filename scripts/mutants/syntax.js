// Parses TypeScript into a syntax tree, with the parser that knip depends on.
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";

const knip = realpathSync(new URL("../../node_modules/knip/package.json", import.meta.url));
const { parseSync } = createRequire(knip)("oxc-parser");

/** Returns the syntax tree of a source, or undefined if it has syntax errors. */
export const parse = (source) => {
  const { program, errors } = parseSync("source.ts", source);
  return errors.length === 0 ? program : undefined;
};

const isNode = (value) => typeof value === "object" && value !== null && "type" in value;

/** Nodes that wrap an expression in a type and have no effect at run time. */
const wrappers = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

/** Calls a function with each node that matters at run time, the parent of that node, and its key in the parent. */
export const walk = (node, visit, parent, key) => {
  if (node.type.startsWith("TS") && !wrappers.has(node.type)) return;
  if (/^(Import|ExportAll)Declaration$/.test(node.type) || node.declare === true) return;
  visit(node, parent, key);
  for (const [name, value] of Object.entries(node)) {
    if (wrappers.has(node.type) && name !== "expression") continue;
    if (isNode(value)) walk(value, visit, node, name);
    else if (Array.isArray(value))
      for (const one of value) if (isNode(one)) walk(one, visit, node, name);
  }
};

export const isFunction = (node) =>
  ["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"].includes(node.type);
