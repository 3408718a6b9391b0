import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  parseSync,
  Visitor,
  type Comment,
  type ModuleExportName,
  type Statement,
} from "oxc-parser";

/** A declaration of a source file, with its comment. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  readonly node: Statement;
  /** The comment before it, without its stars; empty if there is none. */
  readonly comment: string;
  readonly isExported: boolean;
}

/** A part of a source file, such as a node of its tree. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Module {
  readonly text: string;
  readonly comments: readonly Comment[];
  readonly declarations: readonly Declaration[];
  /** Where imported and re-exported names come from: the name there, and the specifier of the module. */
  readonly imports: ReadonlyMap<string, { readonly name: string; readonly from: string }>;
}

const modules = new Map<string, Module>();

const nameOf = (name: ModuleExportName): string =>
  name.type === "Literal" ? name.value : name.name;

const findComment = (text: string, comments: readonly Comment[], start: number): string => {
  const before = comments.findLast(
    ({ type, value, end }) =>
      type === "Block" &&
      value.startsWith("*") &&
      end <= start &&
      text
        .slice(end, start)
        .replaceAll(/\/\/.*/g, "")
        .trim() === "",
  );
  return (before?.value.slice(1) ?? "")
    .replaceAll(/^[ \t]*\*? ?/gm, "")
    .replaceAll("*\\/", "*/")
    .trim();
};

const listNames = (node: Statement): readonly string[] => {
  if (node.type === "VariableDeclaration")
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  return "id" in node && node.id?.type === "Identifier" ? [node.id.name] : [];
};

const read = (file: string): Module => {
  const known = modules.get(file);
  if (known) return known;
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const imports = new Map<string, { name: string; from: string }>();
  const declarations = program.body.flatMap((statement) => {
    if (statement.type === "ImportDeclaration")
      for (const one of statement.specifiers)
        if (one.type === "ImportSpecifier")
          imports.set(one.local.name, { name: nameOf(one.imported), from: statement.source.value });
    if (statement.type === "ExportNamedDeclaration" && statement.source)
      for (const { local, exported } of statement.specifiers)
        imports.set(nameOf(exported), { name: nameOf(local), from: statement.source.value });
    const isExported = statement.type === "ExportNamedDeclaration";
    const node = isExported ? (statement.declaration ?? statement) : statement;
    const comment = findComment(text, comments, statement.start);
    return listNames(node).map((name) => ({ file, name, node, comment, isExported }));
  });
  const module = { text, comments, declarations, imports };
  modules.set(file, module);
  return module;
};

/** Finds the declarations of a name, the overloads of a function for example, where a file declares or imports it. */
export const findDeclarations = (file: string, name: string): readonly Declaration[] => {
  const { declarations, imports } = read(file);
  const own = declarations.filter((one) => one.name === name);
  const imported = imports.get(name);
  if (own.length > 0 || !imported?.from.startsWith(".")) return own;
  return findDeclarations(join(dirname(file), imported.from), imported.name);
};

/** Returns the comment before a part of a file. */
export const readComment = (file: string, { start }: Span): string => {
  const { text, comments } = read(file);
  return findComment(text, comments, start);
};

/** Returns a part of a file without its comments, and with the indentation of its first line removed from the others. */
export const readSource = (file: string, { start, end }: Span): string => {
  const { text, comments } = read(file);
  let source = "";
  let at = start;
  for (const comment of comments.filter((one) => one.start >= start && one.end <= end)) {
    source += text.slice(at, comment.start);
    at = comment.end;
  }
  source += text.slice(at, end);
  const indentation = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", start) + 1))?.[0] ?? "";
  return source
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line))
    .join("\n")
    .trim();
};

/** Lists the names of the types that a declaration mentions in a part of its file. */
export const listTypeNames = ({ node }: Declaration, within: Span = node): readonly string[] => {
  const names = new Set<string>();
  new Visitor({
    TSTypeReference({ typeName, start, end }) {
      if (typeName.type === "Identifier" && start >= within.start && end <= within.end)
        names.add(typeName.name);
    },
  }).visit({
    ...{ type: "Program", sourceType: "module", hashbang: null },
    ...{ body: [node], start: 0, end: node.end },
  });
  return [...names];
};
