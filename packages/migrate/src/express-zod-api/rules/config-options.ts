import { Node, SyntaxKind, type ObjectLiteralExpression } from "ts-morph";
import { configs } from "../configs.ts";
import type { Rule } from "../rule.ts";
import type { SourceEditor } from "../source-editor.ts";
import { nameOf, property, toObject, valueOf } from "../syntax.ts";

const uploadOptions = ["limits", "tempFileDir", "limitError", "beforeUpload"];
const uploadLimits = [
  "fileSize",
  "files",
  "fields",
  "parts",
  "fieldSize",
  "fieldsSize",
  "total",
  "memory",
];
const compressionOptions = ["threshold", "level", "brotli", "filter"];

const dropOthers = (
  editor: SourceEditor,
  object: ObjectLiteralExpression | undefined,
  known: readonly string[],
  section: string,
): void => {
  for (const element of object?.getProperties() ?? []) {
    const name = nameOf(element);
    if (name !== undefined && !known.includes(name))
      editor.removeWithMark(element, `There is no option \`${name}\`.`, section);
  }
};

const uploads: Rule = {
  id: "uploads",
  from: "options of `express-fileupload` and `compression`",
  to: "those that exist; the others are removed with a mark",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor)) {
      const upload = toObject(valueOf(property(config, "upload")));
      dropOthers(editor, upload, uploadOptions, "uploads");
      dropOthers(editor, toObject(valueOf(property(upload, "limits"))), uploadLimits, "uploads");
      dropOthers(
        editor,
        toObject(valueOf(property(config, "compression"))),
        compressionOptions,
        "configuration",
      );
      const before = valueOf(property(upload, "beforeUpload"));
      const parameter = Node.isParametered(before) ? before.getParameters()[0] : undefined;
      if (before && /\bapp\b/.test(parameter?.getText() ?? ""))
        editor.mark(
          before,
          "`beforeUpload` receives `request` and throws to reject it.",
          "uploads",
        );
    }
  },
};

const cookieOptions: Rule = {
  id: "cookies",
  from: "`cookies: { secret, decode }` (from 28)",
  to: "`cookies: { secret }`",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor))
      dropOthers(
        editor,
        toObject(valueOf(property(config, "cookies"))),
        ["secret", "nameBinding"],
        "configuration",
      );
  },
};

const tags: Rule = {
  id: "tags",
  from: "`tags` of `createConfig` (up to 21), `TagOverrides` (from 22)",
  to: "`tags` of `docs` or `generateOpenApi`; tags of endpoints are any strings",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor)) {
      const element = property(config, "tags");
      if (element)
        editor.removeWithMark(
          element,
          `Pass the tags to \`docs\` or \`generateOpenApi\`: ${oneLine(element.getText())}.`,
          "documents-and-clients",
        );
    }
    for (const declaration of editor.source.getDescendantsOfKind(SyntaxKind.InterfaceDeclaration)) {
      if (!["TagOverrides", "MockOverrides"].includes(declaration.getName())) continue;
      const block = declaration.getFirstAncestorByKind(SyntaxKind.ModuleDeclaration);
      const isAlone = block?.getStatements().length === 1;
      const whole = isAlone ? block : declaration;
      if (whole) editor.change({ start: whole.getPos(), end: whole.getEnd(), text: "" });
    }
  },
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

const headerSources: Rule = {
  id: "header-source",
  from: "`headers` in `inputSources`, which are all header fields from 22",
  to: "`headers` of an endpoint or a middleware; as a source, only fields that begin with `x-`",
  kind: "marked",
  apply: (editor) => {
    const { major } = editor.facts;
    if (major !== undefined && major < 22) return;
    for (const config of configs(editor)) {
      const sources = property(config, "inputSources");
      if (sources && /["'`]headers["'`]/.test(sources.getText()))
        editor.mark(
          sources,
          "Only fields that begin with `x-` are input: declare others in `headers` of an endpoint or a middleware.",
          "header-fields",
        );
    }
  },
};

const loggers: Rule = {
  id: "loggers",
  from: "`ctx` of the logger's options",
  to: "fields that `childLoggerProvider` adds",
  kind: "both",
  apply: (editor) => {
    for (const config of configs(editor)) {
      const logger = toObject(valueOf(property(config, "logger")));
      const context = property(logger, "ctx");
      const isBuiltIn = logger
        ?.getProperties()
        .every((one) => ["level", "color", "depth", "ctx"].includes(nameOf(one) ?? ""));
      if (context && isBuiltIn)
        editor.removeWithMark(
          context,
          "Add fields to each line in `childLoggerProvider`.",
          "loggers",
        );
    }
  },
};

export const configOptionRules: readonly Rule[] = [
  uploads,
  cookieOptions,
  tags,
  headerSources,
  loggers,
];
