import { Node, SyntaxKind } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, removeTypeArguments, replace } from "../source-editor.ts";
import { callsOf, nameOf, newsOf, objectArgument, property, valueOf } from "../syntax.ts";

const renamed = { getPositiveResponse: "positive", getNegativeResponse: "negative" } as const;

const createResultHandler: Rule = {
  id: "create-result-handler",
  from: "`createResultHandler({ getPositiveResponse, getNegativeResponse })` (up to 19)",
  to: "`new ResultHandler({ positive, negative })`",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "createResultHandler")) {
      const definition = objectArgument(call);
      const names = Object.entries(renamed).flatMap(([old, name]) => {
        const element = property(definition, old);
        if (Node.isShorthandPropertyAssignment(element)) return replace(element, `${name}: ${old}`);
        return Node.isPropertyAssignment(element) || Node.isMethodDeclaration(element)
          ? replace(element.getNameNode(), name)
          : [];
      });
      const [first] = call.getArguments();
      if (!first) continue;
      editor.need("sallyport", "ResultHandler");
      editor.change(between(call.getStart(), first.getPos(), "new ResultHandler("), ...names);
    }
  },
};

const resultTypes: Rule = {
  id: "result-handler-types",
  from: "type arguments of `new ResultHandler`, and `: IOSchema` of its functions",
  to: "none: they are inferred",
  kind: "rewritten",
  apply: (editor) => {
    for (const made of newsOf(editor.source, "ResultHandler")) {
      const types = removeTypeArguments(made);
      if (types.length > 0) editor.change(...types);
      const positive = valueOf(property(objectArgument(made), "positive"));
      const parameter = Node.isParametered(positive) ? positive.getParameters()[0] : undefined;
      const type = parameter?.getTypeNode();
      if (parameter && type?.getText() === "IOSchema")
        editor.change(between(parameter.getNameNode().getEnd(), type.getEnd()));
    }
  },
};

const responsePlurals: Rule = {
  id: "response-plurals",
  from: "`statusCodes`, `mimeTypes` of responses (up to 20)",
  to: "`statusCode`, `mimeType`",
  kind: "rewritten",
  apply: (editor) => {
    const objects = newsOf(editor.source, "ResultHandler").flatMap((made) =>
      made.getDescendantsOfKind(SyntaxKind.ObjectLiteralExpression),
    );
    for (const object of objects) {
      if (property(object, "schema") === undefined) continue;
      for (const element of object.getProperties()) {
        const name = nameOf(element);
        if (Node.isPropertyAssignment(element) && (name === "statusCodes" || name === "mimeTypes"))
          editor.change(replace(element.getNameNode(), name.slice(0, -1)));
      }
    }
  },
};

const responseHelpers: Rule = {
  id: "response-helpers",
  from: "`createApiResponse(response)` (29), `getStatusCodeFromError(error)` (up to 20)",
  to: "`response`, `ensureHttpError(error).statusCode`",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "createApiResponse")) {
      const [argument] = call.getArguments();
      if (argument) editor.change(replace(call, argument.getText()));
    }
    for (const call of callsOf(editor.source, "getStatusCodeFromError")) {
      const argument = call.getArguments()[0]?.getText() ?? "";
      editor.need("sallyport", "ensureHttpError");
      editor.change(replace(call, `ensureHttpError(${argument}).statusCode`));
    }
  },
};

const validationErrors: Rule = {
  id: "original-error",
  from: "`originalError` of validation errors (up to 20)",
  to: "`cause`",
  kind: "rewritten",
  apply: (editor) => {
    if (!/(?:Input|Output)ValidationError/.test(editor.source.getText())) return;
    for (const access of editor.source.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression))
      if (access.getName() === "originalError")
        editor.change(replace(access.getNameNode(), "cause"));
  },
};

export const resultRules: readonly Rule[] = [
  createResultHandler,
  resultTypes,
  responsePlurals,
  responseHelpers,
  validationErrors,
];
