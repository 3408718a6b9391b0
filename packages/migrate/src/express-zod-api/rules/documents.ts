import { Node, SyntaxKind, type ObjectLiteralElementLike } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, removeElement, replace, type SourceEditor } from "../source-editor.ts";
import {
  initializerOf,
  isPromise,
  methodCalls,
  nameOf,
  newsOf,
  objectArgument,
  property,
  toObject,
  valueOf,
} from "../syntax.ts";

/** The options of `generateOpenApi` by the options of `Documentation`; those in `info` by a dot. */
const documentOptions: Readonly<Record<string, string>> = {
  ...{ routing: "routing", config: "config", info: "info", tags: "tags", hasHeadMethod: "head" },
  ...{ title: "info.title", version: "info.version", serverUrl: "servers", server: "servers" },
};

/** What documents and clients do not read of a configuration that is written for them alone. */
const unread = new Set([
  "cors",
  "http",
  "https",
  "logger",
  "startupLogo",
  "compression",
  "cookies",
]);

const rewriteOptions = (
  editor: SourceEditor,
  made: Node,
  names: Readonly<Record<string, string>>,
  name: string,
): void => {
  if (!Node.isNewExpression(made) && !Node.isCallExpression(made)) return;
  const object = objectArgument(made);
  if (!object) return;
  for (const member of toObject(valueOf(property(object, "config")))?.getProperties() ?? [])
    if (unread.has(nameOf(member) ?? "")) editor.change(removeElement(member));
  const info: ObjectLiteralElementLike[] = [];
  for (const element of object.getProperties()) {
    const from = nameOf(element) ?? "";
    const isNew = Object.values(names).includes(from);
    const to = Node.isSpreadAssignment(element) ? undefined : isNew ? from : names[from];
    if (to?.startsWith("info.")) info.push(element);
    else if (to === undefined)
      editor.removeWithMark(
        element,
        `Without counterpart: ${from === "" ? element.getText() : from}.`,
        "documents-and-clients",
      );
    else if (to !== from)
      editor.change(replace(element, `${to}: ${valueOf(element)?.getText() ?? from}`));
  }
  const [first, ...others] = info;
  if (first) {
    const members = info.map((element) => element.getText()).join(", ");
    editor.change(replace(first, `info: { ${members} }`), ...others.map(removeElementOnly));
  }
  // what overlaps with another change waits for the next pass, which must find the old name
  if (editor.isComplete) editor.change(between(made.getStart(), object.getStart(), `${name}(`));
};

/** Removes an element with its comma and its line, but not the comments around it. */
const removeElementOnly = (element: Node) => {
  const text = element.getSourceFile().getFullText();
  const [before, comma] = [element.getPreviousSibling(), element.getNextSibling()];
  if (!comma && before && text.slice(before.getEnd(), element.getStart()).trim() === "")
    return between(before.getStart(), element.getEnd());
  const end = (comma ?? element).getEnd();
  const start = text.slice(0, element.getStart()).trimEnd().length;
  const isAlone = /\n/.test(text.slice(start, element.getStart()));
  return between(isAlone ? text.lastIndexOf("\n", element.getStart()) : element.getStart(), end);
};

/** Checks whether an expression is a document, or a constant that the file sets to one. */
const isMadeBy = (node: Node, pattern: RegExp): boolean =>
  pattern.test((initializerOf(node) ?? node).getText());

const documents: Rule = {
  id: "documentation",
  from: "`new Documentation({ … }).getSpecAsYaml()`",
  to: "`toYaml(generateOpenApi({ … }))` of `sallyport/openapi`, or the command `sallyport openapi`",
  kind: "both",
  apply: (editor) => {
    const pattern = /^(?:new Documentation|\w*enerateOpenApi)\(/;
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
        const toYaml = editor.need("sallyport/openapi", "toYaml");
        editor.change(replace(call, `${toYaml}(${text})`));
      } else if (name.getText() === "getSpecAsJson")
        editor.change(
          replace(call, `JSON.stringify(${text}${space ? `, null, ${space.getText()}` : ""})`),
        );
      else editor.change(replace(call, text));
    }
    for (const made of newsOf(editor.source, "Documentation")) {
      const name = editor.need("sallyport/openapi", "generateOpenApi");
      rewriteOptions(editor, made, documentOptions, name);
    }
  },
};

const clients: Rule = {
  id: "integration",
  from: "`new Integration({ … }).printFormatted()`",
  to: "`generateClient({ … })` of `sallyport/generate-client`, or the command `sallyport client`",
  kind: "both",
  apply: (editor) => {
    const pattern = /^(?:new Integration|(?:await )?Integration\.create|\w*enerateClient)\(/;
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
      const isChained = isPromise(call);
      editor.change(
        between(inner.getEnd(), whole.getEnd(), isChained ? ")" : ""),
        between(whole.getStart(), inner.getStart(), isChained ? "Promise.resolve(" : ""),
      );
    }
    const options = { routing: "routing", config: "config" };
    const rewrite = (made: Node) => {
      const name = editor.need("sallyport/generate-client", "generateClient");
      rewriteOptions(editor, made, options, name);
    };
    for (const made of newsOf(editor.source, "Integration")) rewrite(made);
    for (const { call, object } of methodCalls(editor.source, "create")) {
      if (object.getText() !== "Integration") continue;
      const outer = call.getParent();
      if (Node.isAwaitExpression(outer)) editor.change(between(outer.getStart(), call.getStart()));
      else if (isPromise(call)) editor.change(replace(call, `Promise.resolve(${call.getText()})`));
      else rewrite(call);
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
