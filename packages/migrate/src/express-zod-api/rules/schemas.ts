import { Node, SyntaxKind, type CallExpression } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, replace, type SourceEditor } from "../source-editor.ts";
import {
  callsOf,
  chainNames,
  chainRoot,
  localNames,
  methodCalls,
  nameOf,
  objectArgument,
  valueOf,
} from "../syntax.ts";

/** Checks whether a chain of calls may be a schema: one of `z` or `ez`, or of a variable. */
const maybeSchema = (node: Node): boolean =>
  Node.isIdentifier(chainRoot(node)) &&
  !chainNames(node).some((name) => /^(?:build|buildVoid)$/.test(name));

const isZod = (node: Node): boolean => ["z", "ez"].includes(chainRoot(node).getText());

const withMeta: Rule = {
  id: "with-meta",
  from: "`withMeta(schema)` (up to 18)",
  to: "`schema`",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "withMeta")) {
      const [argument] = call.getArguments();
      if (argument) editor.change(replace(call, argument.getText()));
    }
  },
};

const examples: Rule = {
  id: "examples",
  from: "`.example(value)`",
  to: "`.meta({ examples: [value] })`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, name, object } of methodCalls(editor.source, "example")) {
      const [value] = call.getArguments();
      const outer = call.getParent()?.getParent();
      const isInner = Node.isCallExpression(outer) && chainNames(outer)[0] === "example";
      if (!value || !maybeSchema(object) || isInner) continue;
      const values = [value.getText()];
      let inner: Node = object;
      while (Node.isCallExpression(inner) && chainNames(inner)[0] === "example") {
        values.unshift(inner.getArguments()[0]?.getText() ?? "");
        const access = inner.getExpression();
        inner = Node.isPropertyAccessExpression(access) ? access.getExpression() : access;
      }
      const start = inner.getEnd();
      const gap = editor.source.getFullText().slice(object.getEnd(), name.getStart());
      editor.change(
        between(start, call.getEnd(), `${gap}meta({ examples: [${values.join(", ")}] })`),
      );
    }
  },
};

const pluginMethods: Rule = {
  id: "plugin-methods",
  from: "`.deprecated()`, `.label(text)`, `.xBrand(name)` of schemas",
  to: '`.meta({ deprecated: true })`, `.meta({ default: text })`, `.meta({ "x-brand": name })`',
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, name, object } of methodCalls(
      editor.source,
      "deprecated",
      "label",
      "xBrand",
    )) {
      if (!isZod(object)) continue;
      const argument = call.getArguments()[0]?.getText() ?? "";
      const meta = { deprecated: "deprecated: true", label: `default: ${argument}` }[
        name.getText()
      ];
      editor.change(
        between(name.getStart(), call.getEnd(), `meta({ ${meta ?? `"x-brand": ${argument}`} })`),
      );
    }
  },
};

const remap: Rule = {
  id: "remap",
  from: '`.remap({ user_name: "userName" })`',
  to: "`.transform()`; a mark for a function",
  kind: "both",
  apply: (editor) => {
    for (const { call, name, object } of methodCalls(editor.source, "remap")) {
      if (!maybeSchema(object)) continue;
      const mapping = objectArgument(call);
      const pairs = mapping?.getProperties().map((one) => {
        const value = valueOf(one);
        return [
          nameOf(one) ?? "",
          Node.isStringLiteral(value) ? value.getLiteralText() : undefined,
        ] as const;
      });
      if (!pairs || pairs.some(([, to]) => to === undefined)) {
        editor.mark(call, "Rename the fields in `.transform()`.", "zod");
        continue;
      }
      const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text);
      const taken = pairs.map(([from], at) =>
        isName(from) ? from : `${JSON.stringify(from)}: field${at}`,
      );
      const given = pairs.map(([from, to = ""], at) => {
        const key = isName(to) ? to : JSON.stringify(to);
        const value = isName(from) ? from : `field${at}`;
        return key === value ? key : `${key}: ${value}`;
      });
      editor.change(
        between(
          name.getStart(),
          call.getEnd(),
          `transform(({ ${[...taken, "...others"].join(", ")} }) => ({ ...others, ${given.join(", ")} }))`,
        ),
      );
    }
  },
};

const getExamples: Rule = {
  id: "get-examples",
  from: "`getExamples(schema)`",
  to: "`(schema.meta()?.examples ?? [])`; a mark for its options",
  kind: "both",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "getExamples")) {
      const options = objectArgument(call);
      const schema = options
        ? valueOf(options.getProperty("schema")?.asKind(SyntaxKind.PropertyAssignment))
        : call.getArguments()[0];
      if (!schema) continue;
      if (options && options.getProperties().length > 1)
        editor.mark(call, "Examples are those of the input before a transformation.", "zod");
      editor.change(replace(call, `(${schema.getText()}.meta()?.examples ?? [])`));
    }
  },
};

const fileKinds: Readonly<Record<string, string>> = {
  string: "z.string()",
  base64: "z.base64()",
  buffer: "ez.buffer()",
  binary: "z.union([z.string(), ez.buffer()])",
};

const files: Rule = {
  id: "files",
  from: '`ez.file()`, `ez.file("base64")`, `ez.file().buffer()` (up to 23); `z.file()` of the package\'s `z`',
  to: "`z.string()`, `z.base64()`, `ez.buffer()`",
  kind: "rewritten",
  apply: (editor) => {
    const { major, isZod3 } = editor.facts;
    const hasOwnZ = localNames(editor.source, "z").length > 0;
    if (major !== undefined && major > 23) return;
    for (const { call, object } of methodCalls(editor.source, "file")) {
      const root = object.getText();
      if (root !== "ez" && !(root === "z" && (hasOwnZ || isZod3))) continue;
      if (localNames(editor.source, root).length === 0 && root === "ez") continue;
      let whole: Node = call;
      let kind = /^["'](\w+)["']$/.exec(call.getArguments()[0]?.getText() ?? "")?.[1] ?? "string";
      for (;;) {
        const access = whole.getParent();
        const next = access?.getParent();
        if (!Node.isPropertyAccessExpression(access) || !Node.isCallExpression(next)) break;
        if (!Object.hasOwn(fileKinds, access.getName())) break;
        kind = access.getName();
        whole = next;
      }
      const text = fileKinds[kind] ?? "z.string()";
      if (text.includes("ez.")) editor.need("sallyport", "ez");
      if (text.includes("z.string") || text.includes("z.base64")) editor.need("zod", "z");
      editor.change(replace(whole, text));
    }
  },
};

const ownZ: Rule = {
  id: "own-z",
  from: "`z` of express-zod-api, with `z.upload()`, `z.dateIn()`, `z.dateOut()`",
  to: "`z` of zod, with `ez.upload()` and so on",
  kind: "rewritten",
  apply: (editor) => {
    if (localNames(editor.source, "z").length === 0) return;
    for (const { name, object } of methodCalls(
      editor.source,
      "upload",
      "dateIn",
      "dateOut",
      "raw",
    )) {
      if (object.getText() !== "z" || name.getText() === "") continue;
      editor.need("sallyport", "ez");
      editor.change(replace(object, "ez"));
    }
  },
};

const rawFields: Rule = {
  id: "raw-fields",
  from: "`ez.raw().extend({ … })` (up to 18)",
  to: "`ez.raw({ … })`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, object } of methodCalls(editor.source, "extend"))
      if (/^ez\s*\.raw\(\)$/.test(object.getText()))
        editor.change(between(object.getStart(), call.getEnd(), `ez.raw(${argumentsOf(call)})`));
  },
};

const argumentsOf = (call: CallExpression): string =>
  call
    .getArguments()
    .map((one) => one.getText())
    .join(", ");

const dateExamples: Rule = {
  id: "date-examples",
  from: "`ez.dateIn().example(text)` (up to 23)",
  to: "`ez.dateIn({ examples: [text] })`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, object } of methodCalls(editor.source, "example"))
      if (/^ez\s*\.dateIn\(\)$/.test(object.getText()))
        editor.change(
          between(
            object.getStart(),
            call.getEnd(),
            `ez.dateIn({ examples: [${argumentsOf(call)}] })`,
          ),
        );
  },
};

const metaExample = (editor: SourceEditor): void => {
  for (const { call } of methodCalls(editor.source, "meta")) {
    const element = objectArgument(call)?.getProperty("example");
    if (Node.isPropertyAssignment(element))
      editor.change(replace(element, `examples: [${element.getInitializerOrThrow().getText()}]`));
  }
};

const metaExamples: Rule = {
  id: "meta-example",
  from: "`.meta({ example: value })` (up to 24)",
  to: "`.meta({ examples: [value] })`",
  kind: "rewritten",
  apply: metaExample,
};

export const schemaRules: readonly Rule[] = [
  withMeta,
  files,
  ownZ,
  rawFields,
  dateExamples,
  examples,
  metaExamples,
  pluginMethods,
  remap,
  getExamples,
];
