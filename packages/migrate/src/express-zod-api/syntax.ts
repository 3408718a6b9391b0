import {
  Node,
  SyntaxKind,
  type CallExpression,
  type Expression,
  type Identifier,
  type NewExpression,
  type ObjectLiteralElementLike,
  type ObjectLiteralExpression,
  type SourceFile,
} from "ts-morph";

/** The package, its entries and its companions. */
export const isOldModule = (name: string): boolean =>
  /^express-zod-api(?:\/(?:documentation|integration))?$/.test(name);

/** Returns the names that a file gives to an export of express-zod-api. */
export const localNames = (source: SourceFile, exported: string): readonly string[] => {
  const imported = source
    .getImportDeclarations()
    .filter((one) => isOldModule(one.getModuleSpecifierValue()))
    .flatMap((one) => one.getNamedImports());
  const names = [
    ...imported.map((one) => ({
      name: one.getName(),
      local: one.getAliasNode()?.getText() ?? one.getName(),
    })),
    ...requiresOf(source).flatMap(({ names: required }) => required),
  ];
  const isMade = names.some(({ name }) => name === makers[exported]);
  return [
    ...names.filter(({ name }) => name === exported).map(({ local }) => local),
    ...(isMade ? [exported] : []),
  ];
};

/** Returns the statements `const { … } = require("express-zod-api")`, with the names that they declare. */
export const requiresOf = (source: SourceFile) =>
  source.getVariableStatements().flatMap((statement) => {
    const [declaration, ...more] = statement.getDeclarations();
    const call = declaration?.getInitializer();
    const pattern = declaration?.getNameNode();
    if (more.length > 0 || !Node.isCallExpression(call) || !Node.isObjectBindingPattern(pattern))
      return [];
    const [specifier] = call.getArguments();
    const isOld =
      call.getExpression().getText() === "require" &&
      Node.isStringLiteral(specifier) &&
      isOldModule(specifier.getLiteralText());
    const names = pattern.getElements().map((one) => ({
      name: (one.getPropertyNameNode() ?? one.getNameNode()).getText(),
      local: one.getName(),
    }));
    return isOld ? [{ statement, specifier, names }] : [];
  });

/** The functions that classes have replaced; once rewritten, a file has the class without importing it. */
const makers: Readonly<Record<string, string>> = {
  Middleware: "createMiddleware",
  ResultHandler: "createResultHandler",
};

/** Returns the uses of an export of express-zod-api, other than its import. */
export const usesOf = (source: SourceFile, exported: string): readonly Identifier[] => {
  const names = localNames(source, exported);
  if (names.length === 0) return [];
  return source
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .filter((one) => names.includes(one.getText()) && isReference(one));
};

/** Checks whether an identifier refers to a variable or a type, and is not the name of a property or an import. */
export const isReference = (identifier: Identifier): boolean => {
  const parent = identifier.getParent();
  if (Node.isImportSpecifier(parent) || Node.isImportClause(parent)) return false;
  if (Node.isPropertyAccessExpression(parent)) return parent.getNameNode() !== identifier;
  if (Node.isQualifiedName(parent)) return parent.getLeft() === identifier;
  if (Node.isBindingElement(parent)) return parent.getInitializer() === identifier;
  if (
    Node.isPropertyAssignment(parent) ||
    Node.isMethodDeclaration(parent) ||
    Node.isPropertySignature(parent) ||
    Node.isPropertyDeclaration(parent)
  )
    return parent.getNameNode() !== identifier;
  return true;
};

export const callsOf = (source: SourceFile, exported: string): readonly CallExpression[] =>
  usesOf(source, exported).flatMap((one) => {
    const parent = one.getParent();
    return Node.isCallExpression(parent) && parent.getExpression() === one ? [parent] : [];
  });

export const newsOf = (source: SourceFile, exported: string): readonly NewExpression[] =>
  usesOf(source, exported).flatMap((one) => {
    const parent = one.getParent();
    return Node.isNewExpression(parent) && parent.getExpression() === one ? [parent] : [];
  });

/** Returns the calls of a method by its name, whatever the object. */
export const methodCalls = (
  source: SourceFile,
  ...names: readonly string[]
): readonly MethodCall[] =>
  source.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap((call) => {
    const callee = call.getExpression();
    return Node.isPropertyAccessExpression(callee) && names.includes(callee.getName())
      ? [{ call, name: callee.getNameNode(), object: callee.getExpression() }]
      : [];
  });

export interface MethodCall {
  readonly call: CallExpression;
  readonly name: Node;
  /** What the method is called on. */
  readonly object: Expression;
}

/** Returns the argument of a call or of `new` if it is an object literal. */
export const objectArgument = (
  call: CallExpression | NewExpression,
  at = 0,
): ObjectLiteralExpression | undefined => toObject(call.getArguments()[at]);

/** Returns an expression without parentheses, `as`, `satisfies` and `!`, if it is an object literal. */
export const toObject = (node: Node | undefined): ObjectLiteralExpression | undefined => {
  if (node === undefined) return undefined;
  if (Node.isObjectLiteralExpression(node)) return node;
  if (
    Node.isParenthesizedExpression(node) ||
    Node.isAsExpression(node) ||
    Node.isSatisfiesExpression(node)
  )
    return toObject(node.getExpression());
  return undefined;
};

export const property = (
  object: ObjectLiteralExpression | undefined,
  name: string,
): ObjectLiteralElementLike | undefined =>
  object?.getProperties().find((one) => !Node.isSpreadAssignment(one) && nameOf(one) === name);

/** Returns the name of a property, without quotes. */
export const nameOf = (element: ObjectLiteralElementLike): string | undefined => {
  if (Node.isSpreadAssignment(element)) return undefined;
  const name = element.getNameNode();
  return Node.isStringLiteral(name) ? name.getLiteralText() : name.getText();
};

/** Returns the value of a property; for a shorthand, its name. */
export const valueOf = (element: ObjectLiteralElementLike | undefined): Node | undefined => {
  if (element === undefined) return undefined;
  if (Node.isPropertyAssignment(element)) return element.getInitializer();
  if (Node.isShorthandPropertyAssignment(element)) return element.getNameNode();
  return Node.isMethodDeclaration(element) ? element : undefined;
};

/** Returns where a chain of calls begins, such as `z` of `z.string().min(1)`. */
export const chainRoot = (node: Node): Node => {
  if (
    Node.isCallExpression(node) ||
    Node.isPropertyAccessExpression(node) ||
    Node.isNonNullExpression(node)
  )
    return chainRoot(node.getExpression());
  if (Node.isAwaitExpression(node) || Node.isParenthesizedExpression(node))
    return chainRoot(node.getExpression());
  return node;
};

/** Returns the names of the methods in a chain, outermost first. */
export const chainNames = (node: Node): readonly string[] => {
  if (Node.isCallExpression(node)) return chainNames(node.getExpression());
  if (Node.isPropertyAccessExpression(node))
    return [node.getName(), ...chainNames(node.getExpression())];
  return [];
};

/** Checks whether a method of promises is called on an expression. */
export const isPromise = (node: Node): boolean => {
  const parent = node.getParent();
  return (
    Node.isPropertyAccessExpression(parent) && /^(?:then|catch|finally)$/.test(parent.getName())
  );
};

/** Returns the initial value of a constant that the same file declares. */
export const initializerOf = (node: Node): Node | undefined =>
  Node.isIdentifier(node)
    ? node
        .getSourceFile()
        .getDescendantsOfKind(SyntaxKind.VariableDeclaration)
        .find((one) => one.getName() === node.getText())
        ?.getInitializer()
    : undefined;

/** Returns the nearest function around a node. */
export const functionAround = (node: Node): Node | undefined =>
  node.getFirstAncestor(
    (one) =>
      Node.isArrowFunction(one) ||
      Node.isFunctionExpression(one) ||
      Node.isFunctionDeclaration(one) ||
      Node.isMethodDeclaration(one),
  );

export const isAsync = (node: Node): boolean => Node.isAsyncable(node) && node.isAsync();
