import {
  Node,
  SyntaxKind,
  type Identifier,
  type ObjectLiteralExpression,
  type SourceFile,
} from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, removeTypeArguments, replace, type SourceEditor } from "../source-editor.ts";
import {
  callsOf,
  initializerOf,
  isReference,
  methodCalls,
  newsOf,
  objectArgument,
  property,
  toObject,
  valueOf,
} from "../syntax.ts";

/** Returns the objects that declare endpoints, middlewares and result handlers. */
export const definitions = (source: SourceFile): readonly ObjectLiteralExpression[] =>
  [
    ...endpointDefinitions(source),
    ...middlewareDefinitions(source),
    ...["ResultHandler"].flatMap((name) => newsOf(source, name)).map((one) => objectArgument(one)),
    ...callsOf(source, "createResultHandler").map((one) => objectArgument(one)),
  ].filter((one) => one !== undefined);

export const endpointDefinitions = (source: SourceFile): readonly ObjectLiteralExpression[] =>
  methodCalls(source, "build", "buildVoid")
    .map(({ call }) => objectArgument(call))
    .filter((one) => property(one, "handler") !== undefined)
    .filter((one) => one !== undefined);

export const middlewareDefinitions = (source: SourceFile): readonly ObjectLiteralExpression[] =>
  [
    ...methodCalls(source, "addMiddleware").map(({ call }) => objectArgument(call)),
    ...newsOf(source, "Middleware").map((one) => objectArgument(one)),
    ...callsOf(source, "createMiddleware").map((one) => objectArgument(one)),
  ].filter((one) => one !== undefined);

/** Returns the function that a definition names, if it is in the same file. */
const handlerOf = (definition: ObjectLiteralExpression): Node | undefined => {
  const value = valueOf(property(definition, "handler") ?? property(definition, "middleware"));
  if (value === undefined || !Node.isIdentifier(value)) return value;
  return value.getSourceFile().getFunction(value.getText()) ?? initializerOf(value);
};

const renameContext = (editor: SourceEditor, handler: Node | undefined): void => {
  if (!Node.isParametered(handler)) return;
  const [parameter] = handler.getParameters();
  if (!parameter) return;
  const type = parameter.getTypeNode();
  if (Node.isTypeLiteral(type)) {
    const member = type.getProperty("options");
    if (member) editor.change(replace(member.getNameNode(), "ctx"));
  }
  const name = parameter.getNameNode();
  if (Node.isIdentifier(name)) {
    for (const access of handler.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression))
      if (access.getName() === "options" && access.getExpression().getText() === name.getText())
        editor.change(replace(access.getNameNode(), "ctx"));
    return;
  }
  if (!Node.isObjectBindingPattern(name)) return;
  for (const element of name.getElements()) {
    const outer = element.getPropertyNameNode();
    if (outer?.getText() === "options") editor.change(replace(outer, "ctx"));
    const inner = element.getNameNode();
    if (outer || element.getDotDotDotToken() || inner.getText() !== "options") continue;
    const uses = Node.isIdentifier(inner) ? listUses(handler, inner) : undefined;
    // another variable has one of the two names, so that the old one must stay
    if (uses === undefined) editor.change(replace(inner, "ctx: options"));
    else editor.change(replace(inner, "ctx"), ...uses.map((use) => renamed(use, "ctx")));
  }
};

const renamed = (use: Identifier, name: string) =>
  Node.isShorthandPropertyAssignment(use.getParent())
    ? replace(use, `${use.getText()}: ${name}`)
    : replace(use, name);

/** Returns the uses of a parameter, or undefined if another variable has its name or the new one. */
export const listUses = (
  handler: Node,
  binding: Identifier,
  name = "ctx",
): readonly Identifier[] | undefined => {
  const all = handler.getDescendantsOfKind(SyntaxKind.Identifier).filter((one) => one !== binding);
  const others = all.filter((one) => [binding.getText(), name].includes(one.getText()));
  const isDeclared = others.some((one) => {
    const parent = one.getParent();
    return (
      (Node.isVariableDeclaration(parent) ||
        Node.isParameterDeclaration(parent) ||
        Node.isBindingElement(parent)) &&
      parent.getNameNode() === one
    );
  });
  if (isDeclared || others.some((one) => one.getText() === name && isReference(one)))
    return undefined;
  return others.filter((one) => one.getText() === binding.getText() && isReference(one));
};

const context: Rule = {
  id: "context",
  from: "`options` of handlers and of `testMiddleware` (up to 25)",
  to: "`ctx`",
  kind: "rewritten",
  apply: (editor) => {
    for (const definition of definitions(editor.source))
      renameContext(editor, handlerOf(definition));
    for (const call of callsOf(editor.source, "testMiddleware")) {
      const element = property(objectArgument(call), "options");
      if (Node.isPropertyAssignment(element)) editor.change(replace(element.getNameNode(), "ctx"));
      if (Node.isShorthandPropertyAssignment(element))
        editor.change(replace(element, "ctx: options"));
    }
  },
};

const addContext: Rule = {
  id: "add-context",
  from: "`addOptions` (up to 25), also with an object (up to 18)",
  to: "`addContext` with a function",
  kind: "rewritten",
  apply: (editor) => {
    for (const { call, name } of methodCalls(editor.source, "addOptions")) {
      const [argument] = call.getArguments();
      const isFunction = Node.isArrowFunction(argument) || Node.isFunctionExpression(argument);
      const isObject =
        toObject(argument) !== undefined ||
        toObject(argument && initializerOf(argument)) !== undefined;
      const wrapped =
        argument && !isFunction && isObject
          ? [replace(argument, `() => (${argument.getText()})`)]
          : [];
      editor.change(replace(name, "addContext"), ...wrapped);
    }
  },
};

const createMiddleware: Rule = {
  id: "create-middleware",
  from: "`createMiddleware({ middleware })` (up to 19)",
  to: "`new Middleware({ handler })`",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "createMiddleware")) {
      const handler = property(objectArgument(call), "middleware");
      const named = Node.isShorthandPropertyAssignment(handler)
        ? [replace(handler, "handler: middleware")]
        : handler && (Node.isPropertyAssignment(handler) || Node.isMethodDeclaration(handler))
          ? [replace(handler.getNameNode(), "handler")]
          : [];
      const [first] = call.getArguments();
      const end = first ? first.getPos() : call.getEnd();
      editor.need("sallyport", "Middleware");
      editor.change(
        between(call.getStart(), end, first ? "new Middleware(" : "new Middleware()"),
        ...named,
      );
    }
  },
};

const middlewareTypes: Rule = {
  id: "middleware-types",
  from: "`new Middleware<…>` with type arguments",
  to: "without: they are inferred; annotate `ctx` if the middleware needs any",
  kind: "rewritten",
  apply: (editor) => {
    for (const made of newsOf(editor.source, "Middleware")) {
      const types = made.getTypeArguments();
      const [first] = types;
      if (!first || types.length < 2) continue;
      const definition = objectArgument(made);
      const handler = definition && handlerOf(definition);
      const drop = removeTypeArguments(made);
      const parameter = Node.isParametered(handler) ? handler.getParameters()[0] : undefined;
      const needsType =
        parameter !== undefined &&
        parameter.getTypeNode() === undefined &&
        !["FlatObject", "EmptyObject", "Record<string, never>", "{}"].includes(first.getText());
      const pattern = parameter?.getNameNode();
      if (!needsType || !Node.isObjectBindingPattern(pattern)) {
        editor.change(...drop);
        continue;
      }
      // an annotation replaces what the compiler would infer for the other arguments, so it must name them
      const isAlone = pattern.getElements().length === 1;
      const input = types[3] ? `z.output<${types[3].getText()}>` : "object";
      if (!isAlone) editor.need("sallyport", "type HandlerArguments");
      const annotation = isAlone
        ? `{ ctx: ${first.getText()} }`
        : `HandlerArguments<${input}, ${first.getText()}>`;
      editor.change(...drop, between(parameter.getEnd(), parameter.getEnd(), `: ${annotation}`));
    }
  },
};

const emptyInput: Rule = {
  id: "empty-input",
  from: "`input: z.object({})` of a middleware, required up to 19",
  to: "no `input`, so that the middleware runs before the body is read",
  kind: "rewritten",
  apply: (editor) => {
    for (const definition of middlewareDefinitions(editor.source)) {
      const input = property(definition, "input");
      if (!input || !/^z\s*\.object\(\{\s*\}\)$/.test(valueOf(input)?.getText() ?? "")) continue;
      const handler = handlerOf(definition);
      if (handler && /\binput\b/.test(handler.getText())) continue;
      const next = input.getNextSibling();
      const end = next?.isKind(SyntaxKind.CommaToken) ? next.getEnd() : input.getEnd();
      if (next) editor.change(between(input.getPos(), end));
    }
  },
};

const expressMiddleware: Rule = {
  id: "express-middleware",
  from: "`addExpressMiddleware`",
  to: "`use`",
  kind: "rewritten",
  apply: (editor) => {
    for (const { name } of methodCalls(editor.source, "addExpressMiddleware"))
      editor.change(replace(name, "use"));
  },
};

export const handlerRules: readonly Rule[] = [
  context,
  addContext,
  middlewareTypes,
  emptyInput,
  createMiddleware,
  expressMiddleware,
];
