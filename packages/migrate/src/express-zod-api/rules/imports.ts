import { Node, SyntaxKind, type ImportDeclaration } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, removeStatement, replace, type SourceEditor } from "../source-editor.ts";
import { isOldModule, isReference, requiresOf, usesOf } from "../syntax.ts";

/** The types that have another name, or are written out. */
const typeTexts: Readonly<Record<string, readonly [text: string, need?: string]>> = {
  FlatObject: ["Record<string, unknown>"],
  IOSchema: ["z.ZodType<Record<string, unknown>>"],
  AbstractEndpoint: ["AnyEndpoint", "type AnyEndpoint"],
  MiddlewareDefinition: ["AnyMiddleware", "type AnyMiddleware"],
  ResultHandlerDefinition: ["AnyResultHandler", "type AnyResultHandler"],
  NormalizedResponse: ["ApiResponse", "type ApiResponse"],
  ...Object.fromEntries(
    (
      [
        ["BasicSecurity", "basic"],
        ["BearerSecurity", "bearer"],
        ["InputSecurity", "input"],
        ["HeaderSecurity", "header"],
        ["CustomHeaderSecurity", "header"],
        ["CookieSecurity", "cookie"],
        ["OpenIdSecurity", "openid"],
        ["OAuth2Security", "oauth2"],
      ] as const
    ).map(([name, type]) => {
      // those with a name are one member of the union
      const isNamed = ["input", "header", "cookie"].includes(type);
      const member = isNamed ? "name: string" : `type: "${type}"`;
      return [name, [`Extract<Security, { ${member} }>`, "type Security"]];
    }),
  ),
};

const types: Rule = {
  id: "types",
  from: "`FlatObject`, `IOSchema`, `AbstractEndpoint`, `MiddlewareDefinition`, `ResultHandlerDefinition`, `BearerSecurity` and the like",
  to: "`Record<string, unknown>`, `z.ZodType<Record<string, unknown>>`, `AnyEndpoint`, `AnyMiddleware`, `AnyResultHandler`, `Security`",
  kind: "both",
  apply: (editor) => {
    for (const [name, [text, need]] of Object.entries(typeTexts))
      for (const use of usesOf(editor.source, name)) {
        if (Node.isExportSpecifier(use.getParent())) {
          const own = `type ${use.getText()} = ${text}`;
          editor.mark(use, `Export a type of your own instead, such as \`${own}\`.`, "imports");
          continue;
        }
        const type = use.getFirstAncestorByKind(SyntaxKind.TypeReference);
        const whole = type?.getTypeName() === use ? type : use;
        if (need !== undefined) editor.need("sallyport", need);
        if (name === "IOSchema") editor.need("zod", "z");
        editor.change(replace(whole, text));
      }
  },
};

/** The module of each export that has the same use; the others have been rewritten or marked before. */
const modules: Readonly<Record<string, readonly string[]>> = {
  sallyport: [
    ...[
      "arrayEndpointsFactory",
      "arrayResultHandler",
      "attachRouting",
      "createConfig",
      "createServer",
    ],
    ...["defaultEndpointsFactory", "defaultResultHandler", "EndpointsFactory", "ensureHttpError"],
    ...["EventStreamFactory", "ez", "getMessageFromError", "InputValidationError", "Middleware"],
    ...["OutputValidationError", "ResultHandler", "RoutingError", "ServeStatic"],
    ...[
      "ApiResponse",
      "AppConfig",
      "CommonConfig",
      "LoggerOverrides",
      "Method",
      "Routing",
      "ServerConfig",
    ],
  ],
  "sallyport/testing": ["testEndpoint", "testMiddleware"],
  "sallyport/openapi": ["DocumentationError"],
  zod: ["z"],
};

const renamedImports: Readonly<Record<string, string>> = { DocumentationError: "OpenApiError" };

/** What express-zod-api exported as a type. */
const typeNames = new Set([
  ...[
    "ApiResponse",
    "AppConfig",
    "CommonConfig",
    "LoggerOverrides",
    "Method",
    "Routing",
    "ServerConfig",
  ],
]);

const toModule = (name: string): string | undefined =>
  Object.entries(modules).find(([, names]) => names.includes(name))?.[0];

const isUsed = (editor: SourceEditor, name: string): boolean =>
  editor.source
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .some((one) => one.getText() === name && isReference(one));

/** Returns the names to import, by module, in the order of the old imports. */
const collectNames = (
  editor: SourceEditor,
  old: readonly ImportDeclaration[],
): Map<string, Set<string>> => {
  const names = new Map<string, Set<string>>();
  const add = (module: string, text: string) =>
    names.set(module, (names.get(module) ?? new Set()).add(text));
  for (const declaration of old)
    for (const one of declaration.getNamedImports()) {
      const name = one.getName();
      const local = one.getAliasNode()?.getText() ?? name;
      if (name === "createHttpError") {
        if (isUsed(editor, local)) add("http-errors", `default ${local}`);
        continue;
      }
      const module = toModule(name);
      if (module === undefined || !isUsed(editor, local)) continue;
      const to = renamedImports[name] ?? name;
      const isType = declaration.isTypeOnly() || one.isTypeOnly() || typeNames.has(name);
      add(module, `${isType ? "type " : ""}${to === local ? to : `${to} as ${local}`}`);
    }
  for (const [module, needed] of editor.needs)
    for (const name of [...needed].sort()) {
      const local = name.replace(/^type |^.* as /, "");
      const isImported = editor.source
        .getImportDeclarations()
        .some(
          (one) =>
            one.getModuleSpecifierValue() === module &&
            one
              .getNamedImports()
              .some((each) => (each.getAliasNode() ?? each.getNameNode()).getText() === local),
        );
      if (!isImported && isUsed(editor, local)) add(module, name);
    }
  return names;
};

/** Sorts other packages before sallyport, and zod, which declarations use, after it. */
const rankOf = (module: string): number =>
  ["http-errors", "sallyport", "sallyport/testing", "sallyport/openapi", "zod"].indexOf(module);

const toImport = (
  module: string,
  names: ReadonlySet<string>,
  quote: string,
  end: string,
): string => {
  const from = `from ${quote}${module}${quote}${end}`;
  const [first = ""] = names;
  if (first.startsWith("default ")) return `import ${first.slice(8)} ${from}`;
  const areTypes = [...names].every((name) => name.startsWith("type "));
  const list = [...names].map((name) => (areTypes ? name.slice(5) : name));
  const line = `import ${areTypes ? "type " : ""}{ ${list.join(", ")} } ${from}`;
  if (line.length <= 100) return line;
  return `import ${areTypes ? "type " : ""}{\n${list.map((name) => `  ${name},\n`).join("")}} ${from}`;
};

const imports: Rule = {
  id: "imports",
  from: '`import … from "express-zod-api"`, also of its entries and of the Zod plugin',
  to: "`sallyport`, `sallyport/testing`, `sallyport/openapi`, `sallyport/generate-client`",
  kind: "rewritten",
  apply: (editor) => {
    const all = editor.source.getImportDeclarations();
    for (const one of all)
      if (one.getModuleSpecifierValue() === "@express-zod-api/zod-plugin")
        editor.change(removeStatement(one));
    const old = all.filter((one) => isOldModule(one.getModuleSpecifierValue()));
    const namespace = old.find((one) => one.getNamespaceImport() !== undefined);
    if (namespace) {
      editor.mark(
        namespace,
        "Import by name, from the entries that docs/README.md lists.",
        "imports",
      );
      editor.change(replace(namespace.getModuleSpecifier(), '"sallyport"'));
      return;
    }
    const [first, ...more] = old;
    const hasNeeds = [...editor.needs.values()].some((names) => names.size > 0);
    if (!first && !hasNeeds) return;
    const anchor = first ?? all[0];
    const quote = anchor?.getModuleSpecifier().getText().slice(0, 1) ?? '"';
    const end = anchor?.getText().endsWith(";") === false ? "" : ";";
    const groups = [...collectNames(editor, old)].sort(
      ([one], [other]) => rankOf(one) - rankOf(other),
    );
    const lines = groups.map(([module, names]) => toImport(module, names, quote, end));
    editor.needs.clear();
    if (first) {
      editor.change(
        lines.length === 0 ? removeStatement(first) : replace(first, lines.join("\n")),
        ...more.map(removeStatement),
      );
    } else if (lines.length > 0) {
      const at = anchor?.getStart() ?? 0;
      editor.change(between(at, at, `${lines.join("\n")}\n`));
    }
  },
};

const requires: Rule = {
  id: "requires",
  from: '`const { … } = require("express-zod-api")`',
  to: "`require` of the same modules",
  kind: "rewritten",
  apply: (editor) => {
    const [first, ...more] = requiresOf(editor.source);
    if (!first) return;
    const modules = new Map<string, string[]>();
    const add = (module: string, text: string) =>
      modules.set(module, [...(modules.get(module) ?? []), text]);
    for (const { name, local } of [first, ...more].flatMap(({ names }) => names)) {
      const module = toModule(name);
      const to = renamedImports[name] ?? name;
      if (module !== undefined && isUsed(editor, local))
        add(module, to === local ? to : `${to}: ${local}`);
    }
    for (const [module, names] of editor.needs)
      for (const name of names)
        if (!name.startsWith("type ")) add(module, name.replace(" as ", ": "));
    editor.needs.clear();
    const quote = first.specifier.getText().slice(0, 1);
    const end = first.statement.getText().endsWith(";") ? ";" : "";
    const lines = [...modules].map(
      ([module, names]) =>
        `const { ${[...new Set(names)].join(", ")} } = require(${quote}${module}${quote})${end}`,
    );
    editor.change(
      lines.length === 0
        ? removeStatement(first.statement)
        : replace(first.statement, lines.join("\n")),
      ...more.map(({ statement }) => removeStatement(statement)),
    );
  },
};

const specifiers: Rule = {
  id: "specifiers",
  from: '`"express-zod-api"` in `export … from`, `declare module`, `require`, `import()`, `vi.mock` and `jest.mock`',
  to: '`"sallyport"`',
  kind: "rewritten",
  apply: (editor) => {
    for (const literal of editor.source.getDescendantsOfKind(SyntaxKind.StringLiteral)) {
      const parent = literal.getParent();
      const isModule =
        Node.isExportDeclaration(parent) ||
        Node.isModuleDeclaration(parent) ||
        Node.isLiteralTypeNode(parent) ||
        (Node.isCallExpression(parent) &&
          /^(?:require|import|(?:vi|jest)\.\w+)$/.test(parent.getExpression().getText()));
      if (!isModule || !isOldModule(literal.getLiteralText())) continue;
      const quote = literal.getText().slice(0, 1);
      editor.change(replace(literal, `${quote}sallyport${quote}`));
    }
  },
};

export const importRules: readonly Rule[] = [types, requires, specifiers, imports];
