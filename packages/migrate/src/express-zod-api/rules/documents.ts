import { Node, SyntaxKind } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, replace, type SourceEditor } from "../source-editor.ts";
import { initializerOf, methodCalls, nameOf, newsOf, objectArgument, valueOf } from "../syntax.ts";

/** The options of `generateOpenApi` by the options of `Documentation`; those in `info` by a dot. */
const documentOptions: Readonly<Record<string, string>> = {
  ...{ routing: "routing", config: "config", info: "info", tags: "tags", hasHeadMethod: "head" },
  ...{ title: "info.title", version: "info.version", serverUrl: "servers", server: "servers" },
};

const rewriteOptions = (
  editor: SourceEditor,
  made: Node,
  names: Readonly<Record<string, string>>,
  call: string,
): void => {
  if (!Node.isNewExpression(made) && !Node.isCallExpression(made)) return;
  const object = objectArgument(made);
  if (!object) return;
  const info: string[] = [];
  const members: string[] = [];
  const dropped: string[] = [];
  for (const element of object.getProperties()) {
    const name = nameOf(element) ?? "";
    const to = Node.isSpreadAssignment(element) ? undefined : names[name];
    const value = valueOf(element)?.getText() ?? name;
    if (to === undefined) dropped.push(name === "" ? element.getText() : name);
    else if (to.startsWith("info.")) info.push(toMember(to.slice(5), value));
    else members.push(toMember(to, value));
  }
  if (info.length > 0) members.push(`info: { ${info.join(", ")} }`);
  if (dropped.length > 0)
    editor.mark(made, `Without counterpart: ${dropped.join(", ")}.`, "documents-and-clients");
  editor.change(replace(made, `${call}({ ${members.join(", ")} })`));
};

const toMember = (name: string, value: string): string =>
  name === value ? name : `${name}: ${value}`;

/** Checks whether an expression is a document, or a constant that the file sets to one. */
const isMadeBy = (node: Node, pattern: RegExp): boolean =>
  pattern.test((initializerOf(node) ?? node).getText());

const documents: Rule = {
  id: "documentation",
  from: "`new Documentation({ … }).getSpecAsYaml()`",
  to: "`toYaml(generateOpenApi({ … }))` of `sallyport/openapi`, or the command `sallyport openapi`",
  kind: "both",
  apply: (editor) => {
    const pattern = /^(?:new Documentation|generateOpenApi)\(/;
    for (const { call, name, object } of methodCalls(
      editor.source,
      "getSpecAsYaml",
      "getSpecAsJson",
      "getSpec",
    )) {
      if (!isMadeBy(object, pattern)) continue;
      const [space] = call.getArguments().slice(1);
      const text = object.getText();
      if (name.getText() === "getSpecAsYaml") {
        editor.need("sallyport/openapi", "toYaml");
        editor.change(replace(call, `toYaml(${text})`));
      } else if (name.getText() === "getSpecAsJson")
        editor.change(
          replace(call, `JSON.stringify(${text}${space ? `, null, ${space.getText()}` : ""})`),
        );
      else editor.change(replace(call, text));
    }
    for (const made of newsOf(editor.source, "Documentation")) {
      editor.need("sallyport/openapi", "generateOpenApi");
      rewriteOptions(editor, made, documentOptions, "generateOpenApi");
    }
  },
};

const clients: Rule = {
  id: "integration",
  from: "`new Integration({ … }).printFormatted()`",
  to: "`generateClient({ … })` of `sallyport/generate-client`, or the command `sallyport client`",
  kind: "both",
  apply: (editor) => {
    const pattern = /^(?:new Integration|(?:await )?Integration\.create|generateClient)\(/;
    for (const { call, object } of methodCalls(editor.source, "print", "printFormatted")) {
      const inner = Node.isParenthesizedExpression(object) ? object.getExpression() : object;
      if (!isMadeBy(inner, pattern)) continue;
      const outer = call.getParent();
      const whole = Node.isAwaitExpression(outer) ? outer : call;
      editor.mark(
        call,
        "The client differs: it has typed statuses, pages and files.",
        "documents-and-clients",
      );
      editor.change(
        between(inner.getEnd(), whole.getEnd()),
        between(whole.getStart(), inner.getStart()),
      );
    }
    const options = { routing: "routing", config: "config" };
    for (const made of newsOf(editor.source, "Integration")) {
      editor.need("sallyport/generate-client", "generateClient");
      rewriteOptions(editor, made, options, "generateClient");
    }
    for (const { call, object } of methodCalls(editor.source, "create")) {
      if (object.getText() !== "Integration") continue;
      const outer = call.getParent();
      editor.need("sallyport/generate-client", "generateClient");
      if (Node.isAwaitExpression(outer)) editor.change(between(outer.getStart(), call.getStart()));
      else rewriteOptions(editor, call, options, "generateClient");
    }
  },
};

const unsupported: Readonly<Record<string, readonly [text: string, section: string]>> = {
  Depicter: ["Use `override.schema` of `generateOpenApi`.", "documents-and-clients"],
  Producer: ["The client's types follow the schemas.", "documents-and-clients"],
  BuiltinLogger: ["Pass `logger: { level, color, depth }`, or a logger of your own.", "loggers"],
  createLogger: ["Pass `logger: { level, color, depth }`, or a logger of your own.", "loggers"],
  MissingPeerError: ["There is no such error.", "errors"],
  MockResponse: ["Use what `testEndpoint` returns.", "tests"],
  NormalizedResponse: ["Use `ApiResponse`.", "types"],
};

const withoutCounterpart: Rule = {
  id: "without-counterpart",
  from: "`BuiltinLogger`, `createLogger`, `Depicter`, `Producer`, `MissingPeerError`, `NormalizedResponse`",
  to: "what the sections below say",
  kind: "marked",
  apply: (editor) => {
    for (const one of editor.source
      .getImportDeclarations()
      .flatMap((each) => each.getNamedImports())) {
      const [text, section] = unsupported[one.getName()] ?? [];
      if (text === undefined || section === undefined) continue;
      const local = one.getAliasNode()?.getText() ?? one.getName();
      for (const use of editor.source.getDescendantsOfKind(SyntaxKind.Identifier))
        if (use.getText() === local && !Node.isImportSpecifier(use.getParent()))
          editor.mark(use, text, section);
    }
  },
};

export const documentRules: readonly Rule[] = [documents, clients, withoutCounterpart];
