import { SyntaxKind, type ObjectLiteralExpression } from "ts-morph";
import type { SourceEditor } from "./source-editor.ts";
import { callsOf, localNames, objectArgument, property, toObject, valueOf } from "./syntax.ts";

/** Returns the configurations that a file declares. */
export const configs = ({ source }: SourceEditor): readonly ObjectLiteralExpression[] => {
  const types = new Set(
    ["ServerConfig", "AppConfig", "CommonConfig"].flatMap((name) => localNames(source, name)),
  );
  return [
    ...["createConfig", "createServer", "attachRouting"]
      .flatMap((name) => callsOf(source, name))
      .map((call) => objectArgument(call)),
    ...["testEndpoint", "testMiddleware"]
      .flatMap((name) => callsOf(source, name))
      .map((call) => toObject(valueOf(property(objectArgument(call), "configProps")))),
    ...source
      .getDescendantsOfKind(SyntaxKind.VariableDeclaration)
      .filter((one) => types.has(one.getTypeNode()?.getText() ?? ""))
      .map((one) => toObject(one.getInitializer())),
  ].filter((one) => one !== undefined);
};
