import { Node, SyntaxKind, type ObjectLiteralElementLike } from "ts-morph";
import { configs } from "../configs.ts";
import type { Rule } from "../rule.ts";
import { between, removeElement, replace, type SourceEditor } from "../source-editor.ts";
import { nameOf, property, toObject, valueOf } from "../syntax.ts";
import { listUses } from "./handlers.ts";

const server: Rule = {
  id: "server",
  from: "`server: { listen, upload, … }` (up to 20)",
  to: "`http: { listen }`, and the other options beside it",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor)) {
      const element = property(config, "server");
      if (!element) continue;
      const object = toObject(valueOf(element));
      const isPlain =
        object?.getProperties().every((one) => !Node.isSpreadAssignment(one)) ?? false;
      if (!object || !isPlain) {
        editor.mark(
          element,
          "Write `http: { listen }`, and the other options beside it.",
          "configuration",
        );
        continue;
      }
      const members = object.getProperties();
      const [first, last] = [members[0], members.at(-1)];
      if (!first || !last) {
        editor.change(removeElement(element));
        continue;
      }
      // all between the braces, so that comments stay
      const start = object.getStart() + 1;
      const inner = object.getText().slice(1, -1);
      const listen = property(object, "listen");
      const end = last.getEnd() - start;
      // a comma after a comment would become part of it
      const tail = inner.slice(end).trim().replace(/^,/, "");
      const body = listen
        ? `${inner.slice(0, listen.getStart() - start)}http: { ${listen.getText()} }${inner.slice(listen.getEnd() - start, end)}`
        : inner.slice(0, end);
      const comma = element.getNextSibling();
      const whole = tail && comma?.isKind(SyntaxKind.CommaToken) ? comma : element;
      const text = `${body.trim()}${tail && `,${inner.slice(end).trimEnd().replace(/^,/, "")}`}`;
      editor.change(
        between(
          element.getStart(),
          whole.getEnd(),
          dedent(text, gapBefore(editor, first), gapBefore(editor, element)),
        ),
      );
    }
  },
};

/** Moves the lines of a text from one indentation to another; both begin with a line break. */
const dedent = (text: string, from: string, to: string): string =>
  from.startsWith("\n") && to.startsWith("\n") ? text.replaceAll(from, to) : text;

/** The options that are gone, and what to do instead. */
const gone: Readonly<Record<string, readonly [text: string, section: string]>> = {
  jsonParser: [
    "JSON is parsed by the framework: set `bodyLimit` if the parser had a `limit`.",
    "parsers",
  ],
  rawParser: [
    "`ez.raw()` needs no parser: set `bodyLimit` if the parser had a `limit`.",
    "parsers",
  ],
  formParser: [
    'Forms are parsed by the framework: set `bodyLimit`, and `queryParser: "extended"` for nested fields.',
    "parsers",
  ],
  trySyncValidation: [
    "Schemas are parsed synchronously wherever that is possible.",
    "configuration",
  ],
};

const removedOptions: Rule = {
  id: "parsers",
  from: "`jsonParser`, `rawParser`, `formParser`, `trySyncValidation`",
  to: "nothing, with a mark on `bodyLimit`",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor))
      for (const element of config.getProperties()) {
        const [text, section] = gone[nameOf(element) ?? ""] ?? [];
        if (text !== undefined && section !== undefined)
          editor.removeWithMark(element, text, section);
      }
  },
};

const negated = (
  element: ObjectLiteralElementLike,
  whenTrue: string,
  whenFalse: string,
): string => {
  const text = valueOf(element)?.getText() ?? "";
  if (text === "true") return whenTrue;
  return text === "false" ? whenFalse : `${text} ? ${whenTrue} : ${whenFalse}`;
};

const wrongMethods: Rule = {
  id: "wrong-methods",
  from: "`hintAllowedMethods`, `recognizeMethodDependentRoutes` (from 28)",
  to: "`wrongMethodBehavior`, `methodLikeRouteBehavior`",
  kind: "rewritten",
  apply: (editor) => {
    for (const config of configs(editor)) {
      const hint = property(config, "hintAllowedMethods");
      if (hint) editor.change(replace(hint, `wrongMethodBehavior: ${negated(hint, "405", "404")}`));
      const dependent = property(config, "recognizeMethodDependentRoutes");
      if (dependent)
        editor.change(
          replace(
            dependent,
            `methodLikeRouteBehavior: ${negated(dependent, '"method"', '"path"')}`,
          ),
        );
    }
  },
};

const cors: Rule = {
  id: "cors",
  from: "`cors` as a request handler (29)",
  to: "`cors: false`, and the handler in `beforeRouting`",
  kind: "both",
  apply: (editor) => {
    const { major } = editor.facts;
    if (major !== undefined && major < 29) return;
    for (const config of configs(editor)) {
      const element = property(config, "cors");
      const value = valueOf(element);
      if (!element || !value || ["true", "false"].includes(value.getText())) continue;
      const takesThree = Node.isParametered(value) && value.getParameters().length > 1;
      // up to 28, the value is a function of one argument
      if (!takesThree && !Node.isCallExpression(value) && !(major && Node.isIdentifier(value)))
        continue;
      const hasApp = property(config, "app") !== undefined;
      if (hasApp || property(config, "beforeRouting") || property(config, "beforeParsers")) {
        const text = `Set \`cors: false\`, and add the handler to ${hasApp ? "your app" : "`beforeRouting`"}: app.use(…).`;
        editor.mark(element, text, "cors");
        continue;
      }
      const hook = `beforeRouting: ({ app }) => void app.use(${value.getText()})`;
      editor.change(replace(element, `cors: false,${gapBefore(editor, element)}${hook}`));
    }
  },
};

const gapBefore = (editor: SourceEditor, element: Node): string =>
  /\n[\t ]*$/.exec(editor.source.getFullText().slice(0, element.getStart()))?.[0] ?? " ";

const hooks: Rule = {
  id: "hooks",
  from: "`logger`, `getChildLogger` of `beforeRouting` (up to 20); `beforeParsers` (29)",
  to: "`getLogger`; `beforeRouting`, which runs before parsing",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor)) {
      const early = property(config, "beforeParsers");
      if (early && property(config, "beforeRouting"))
        editor.mark(
          early,
          "Move this to `beforeRouting`, which runs before parsing.",
          "configuration",
        );
      else if (Node.isPropertyAssignment(early) || Node.isMethodDeclaration(early))
        editor.change(replace(early.getNameNode(), "beforeRouting"));
      const hook = valueOf(property(config, "beforeRouting"));
      const pattern = Node.isParametered(hook) ? hook.getParameters()[0]?.getNameNode() : undefined;
      if (!hook || !Node.isObjectBindingPattern(pattern)) continue;
      const elements = pattern.getElements();
      const old = elements.filter((one) => ["logger", "getChildLogger"].includes(one.getName()));
      if (old.length === 0) continue;
      const uses = old.map((one) => {
        const name = one.getNameNode();
        return Node.isIdentifier(name) ? listUses(hook, name, "getLogger") : undefined;
      });
      if (uses.includes(undefined)) {
        editor.mark(
          hook,
          "Take `getLogger` in place of `logger` and `getChildLogger`.",
          "configuration",
        );
        continue;
      }
      const names = elements.filter((one) => !old.includes(one)).map((one) => one.getText());
      editor.change(
        replace(pattern, `{ ${[...names, "getLogger"].join(", ")} }`),
        ...uses.flat().flatMap((use) => {
          if (!use) return [];
          const isShort = Node.isShorthandPropertyAssignment(use.getParent());
          const text = use.getText() === "logger" ? "getLogger()" : "getLogger";
          return replace(use, isShort ? `${use.getText()}: ${text}` : text);
        }),
      );
    }
  },
};

export const configRules: readonly Rule[] = [server, removedOptions, wrongMethods, cors, hooks];
