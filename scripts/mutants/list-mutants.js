// Lists the small defects that can be put into a source, one at a time.
import { parse, walk } from "./syntax.js";

const swaps = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
  "??=": ["="],
};

const methods = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  find: "findLast",
  findLast: "find",
  push: "unshift",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
  max: "min",
  min: "max",
  once: "on",
  shift: "pop",
};

/** Methods that return a value of the same kind as their object, so that a mutant can omit the call. */
const transparent = new Set([
  ...["filter", "slice", "toSorted", "trim", "replace", "replaceAll", "flat", "concat", "bind"],
  ...["unref", "flatMap", "map"],
]);

const isText = (node) =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");

const toChanges = (node, parent, key, text) => {
  const of = (one) => text.slice(one.start, one.end);
  const replace = (by, one = node) => ({ start: one.start, end: one.end, by });
  const between = (one, other, by) => {
    const gap = text.slice(one.end, other.start);
    const at = one.end + gap.indexOf(node.operator);
    return { start: at, end: at + node.operator.length, by };
  };
  const isStatement = parent?.type === "ExpressionStatement";
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return [replace("true", node.test), replace("false", node.test)];
    case "WhileStatement":
    case "ForStatement":
      return node.test ? [replace("false", node.test)] : [];
    case "LogicalExpression":
    case "BinaryExpression": {
      const { left, right, operator } = node;
      if (operator === "??") return [replace(of(left)), replace(`(${of(right)})`)];
      if (operator === "+" && (isText(left) || isText(right))) return [];
      return (swaps[operator] ?? []).map((by) => between(left, right, by));
    }
    case "AssignmentExpression":
      return (swaps[node.operator] ?? []).map((by) => between(node.left, node.right, by));
    case "UpdateExpression":
      return [replace(of(node).replace(/\+\+|--/, (found) => (found === "++" ? "--" : "++")))];
    case "UnaryExpression":
      return node.operator === "!" ? [replace(of(node.argument))] : [];
    case "AwaitExpression":
      return isStatement ? [] : [replace(`(${of(node.argument)})`)];
    case "Literal":
      return toLiteralChanges(node, parent, key).map((by) => replace(by));
    case "TemplateLiteral":
      return parent?.type === "TaggedTemplateExpression" ? [] : [replace("``")];
    case "ExpressionStatement":
      return node.directive === undefined ? [replace(";")] : [];
    case "ThrowStatement":
    case "ContinueStatement":
      return [replace(";")];
    case "ReturnStatement":
      if (!node.argument) return [replace(";")];
      return of(node.argument) === "undefined" ? [] : [replace("return;")];
    case "ArrowFunctionExpression":
      return node.expression && of(node.body) !== "undefined"
        ? [replace("undefined", node.body)]
        : [];
    case "ObjectExpression":
      return node.properties.map((property) => {
        const comma = /^\s*,/.exec(text.slice(property.end));
        return { ...replace("", property), end: property.end + (comma?.[0].length ?? 0) };
      });
    case "MemberExpression":
      if (!node.optional) return [];
      return [replace(of(node).replace(/\?\.(\[?)(?=[^?]*$)/s, (_all, open) => open || "."))];
    case "CallExpression":
      return toCallChanges(node, of, replace);
    default:
      return [];
  }
};

const toLiteralChanges = (node, parent, key) => {
  const { value, regex } = node;
  if (regex) {
    const { pattern, flags } = regex;
    return [
      ...(pattern.startsWith("^") ? [`/${pattern.slice(1)}/${flags}`] : []),
      ...(pattern.endsWith("$") ? [`/${pattern.slice(0, -1)}/${flags}`] : []),
      ...(flags.includes("i") ? [`/${pattern}/${flags.replace("i", "")}`] : []),
    ].filter((by) => !by.startsWith("//"));
  }
  if (typeof value === "number") return [String(value + 1), ...(value > 0 ? [`${value - 1}`] : [])];
  if (typeof value === "boolean") return [String(!value)];
  if (typeof value !== "string") return [];
  const isName = key === "key" || parent?.type === "ExpressionStatement" || key === "source";
  if (isName) return [];
  return value === "" ? ['"mutated"'] : ['""'];
};

const toCallChanges = (node, of, replace) => {
  const { callee, optional } = node;
  const changes = optional ? [replace(of(node).replace("?.(", "("))] : [];
  if (callee.type !== "MemberExpression" || callee.computed) return changes;
  const { name } = callee.property;
  if (Object.hasOwn(methods, name)) changes.push(replace(methods[name], callee.property));
  if (transparent.has(name)) changes.push(replace(of(callee.object)));
  if (name === "freeze" && of(callee.object) === "Object")
    changes.push(replace(`(${of(node.arguments[0])})`));
  return changes;
};

const shorten = (text) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 70 ? `${line.slice(0, 67)}...` : line;
};

/**
 * Lists the mutants of a file, each with its offsets, its original line, and the replacement. An id does not change while
 * the line stays the same, even if the line moves.
 */
export const listMutants = (file, text) => {
  const mutants = [];
  const counts = new Map();
  walk(parse(text), (node, parent, key) => {
    for (const { start, end, by } of toChanges(node, parent, key, text)) {
      if (text.slice(start, end) === by) continue;
      const line = text.slice(0, start).split("\n").length;
      const code = (text.split("\n")[line - 1] ?? "").trim();
      const mutation = `${shorten(text.slice(start, end))} -> ${shorten(by) || "nothing"}`;
      const name = `${file}|${code}|${mutation}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      mutants.push({ id: `${name}|${count}`, file, line, code, mutation, start, end, by });
    }
  });
  return mutants;
};

/** Returns the source with a mutant applied, or undefined if the result cannot be parsed. */
export const applyMutant = ({ start, end, by }, text) => {
  const mutated = text.slice(0, start) + by + text.slice(end);
  return parse(mutated) ? mutated : undefined;
};
