import { Node, SyntaxKind, type CallExpression } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, insertAt, removeElement, replace } from "../source-editor.ts";
import { isTypeScript } from "../project-files.ts";
import { callsOf, objectArgument, property, valueOf } from "../syntax.ts";

const options: Rule = {
  id: "test-options",
  from: "`fnMethod`, `responseProps` of `testEndpoint` (up to 19); `errorHandler` of `testMiddleware` (up to 22)",
  to: "nothing, `responseOptions`, `configProps: { errorHandler }`",
  kind: "both",
  apply: (editor) => {
    const calls = ["testEndpoint", "testMiddleware"].flatMap((name) =>
      callsOf(editor.source, name),
    );
    for (const call of calls) {
      const object = objectArgument(call);
      const mock = property(object, "fnMethod");
      if (mock) editor.change(removeElement(mock));
      for (const name of ["responseProps", "responseOptions"]) {
        const element = property(object, name);
        const locals = /^\{\s*locals:/.test(valueOf(element)?.getText() ?? "");
        if (element && !locals)
          editor.removeWithMark(element, "Only `locals` of the response can be set.", "tests");
        else if (name === "responseProps" && Node.isPropertyAssignment(element))
          editor.change(replace(element.getNameNode(), "responseOptions"));
      }
      const handler = property(object, "errorHandler");
      if (!handler) continue;
      if (property(object, "configProps") === undefined)
        editor.change(replace(handler, `configProps: { ${handler.getText()} }`));
      else editor.removeWithMark(handler, "Move `errorHandler` to `configProps`.", "tests");
    }
  },
};

interface Assertion {
  readonly call: CallExpression;
  /** `responseMock` or `loggerMock`. */
  readonly mock: string;
  readonly member: string;
  readonly isNot: boolean;
  readonly matcher: string;
  readonly values: readonly string[];
}

/** Reads `expect(responseMock.json).not.toHaveBeenCalledWith(…)`. */
const readAssertion = (call: CallExpression): Assertion | undefined => {
  const callee = call.getExpression();
  if (!Node.isPropertyAccessExpression(callee)) return undefined;
  const left = callee.getExpression();
  const isNot = Node.isPropertyAccessExpression(left) && left.getName() === "not";
  const subject = isNot ? left.getExpression() : left;
  if (!Node.isCallExpression(subject) || subject.getExpression().getText() !== "expect")
    return undefined;
  const access = subject.getArguments()[0];
  if (!Node.isPropertyAccessExpression(access)) return undefined;
  const mock = access.getExpression().getText();
  if (!/^(?:response|logger)Mock\w*$/.test(mock)) return undefined;
  const values = call.getArguments().map((one) => one.getText());
  return { call, mock, member: access.getName(), isNot, matcher: callee.getName(), values };
};

const toNew = ({ mock, member, isNot, matcher, values }: Assertion): string | undefined => {
  const [first = "", second] = values;
  const not = isNot ? ".not" : "";
  if (mock.startsWith("logger")) {
    const logs = `expect(${mock}._getLogs().${member})`;
    if (matcher === "toHaveBeenCalled") return `${logs}${isNot ? "" : ".not"}.toHaveLength(0)`;
    if (matcher === "toHaveBeenCalledTimes") return `${logs}${not}.toHaveLength(${first})`;
    if (matcher === "toHaveBeenCalledWith")
      return `${logs}${not}.toContainEqual([${values.join(", ")}])`;
    return undefined;
  }
  if (/Times$|^toHaveBeenCalled$/.test(matcher) && ["end", "json", "send"].includes(member))
    return `expect(${mock}._isEndCalled()).toBe(${isNot || first === "0" ? "false" : "true"})`;
  if (matcher !== "toHaveBeenCalledWith") return undefined;
  if (member === "status") return `expect(${mock}._getStatusCode())${not}.toBe(${first})`;
  if (member === "json") return `expect(${mock}._getJSONData())${not}.toEqual(${first})`;
  if (member === "send") return `expect(${mock}._getData())${not}.toBe(${first})`;
  if (member === "set" || member === "setHeader") {
    if (!second || !/^["']/.test(first)) return undefined;
    const name = first.toLowerCase();
    return `expect(${mock}._getHeaders()[${name}])${not}.toBe(${second})`;
  }
  return undefined;
};

const assertions: Rule = {
  id: "mock-assertions",
  from: "`expect(responseMock.status).toHaveBeenCalledWith(200)` and the like (up to 19)",
  to: "`expect(responseMock._getStatusCode()).toBe(200)`",
  kind: "both",
  apply: (editor) => {
    for (const call of editor.source.getDescendantsOfKind(SyntaxKind.CallExpression)) {
      const assertion = readAssertion(call);
      if (!assertion || !assertion.matcher.startsWith("toHaveBeen")) continue;
      // that a status was set once says no more than which one was set
      const isCount =
        assertion.member === "status" && assertion.matcher === "toHaveBeenCalledTimes";
      const statement = call.getParent();
      if (isCount && Node.isExpressionStatement(statement)) {
        editor.change(between(statement.getPos(), statement.getEnd()));
        continue;
      }
      const text = toNew(assertion);
      if (text !== undefined) editor.change(replace(call, text));
      else
        editor.mark(
          call,
          "Check what the client receives: `_getStatusCode()`, `_getJSONData()`, `_getHeaders()`.",
          "tests",
        );
    }
  },
};

/** Returns the type argument that keeps `any`, whose parts fit everywhere; what is only compared needs none. */
const keepType = (call: CallExpression): string => {
  if (!isTypeScript(call.getSourceFile().getFilePath())) return "";
  const user = call.getFirstAncestor(
    (one) => !Node.isPropertyAccessExpression(one) && !Node.isElementAccessExpression(one),
  );
  const isTyped =
    (call.getParent() === user && Node.isAsExpression(user)) ||
    (call.getParent() === user && Node.isVariableDeclaration(user) && user.getTypeNode());
  const isCompared =
    Node.isCallExpression(user) &&
    /^(?:expect|JSON\.stringify)$/.test(user.getExpression().getText());
  return isTyped || isCompared ? "" : "<any>";
};

const jsonData: Rule = {
  id: "json-data",
  from: "`JSON.parse(responseMock._getData())`, `responseMock._getJSONData()`, which are `any`",
  to: "`responseMock._getJSONData()` where it is compared, `_getJSONData<any>()` elsewhere",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of editor.source.getDescendantsOfKind(SyntaxKind.CallExpression)) {
      const [argument] = call.getArguments();
      const callee = call.getExpression().getText();
      const parsed = /^(responseMock\w*)\._getData\(\)$/.exec(argument?.getText() ?? "")?.[1];
      if (callee === "JSON.parse" && parsed)
        editor.change(replace(call, `${parsed}._getJSONData${keepType(call)}()`));
      const isRead = /^responseMock\w*\s*\._getJSONData$/.test(callee);
      if (isRead && call.getTypeArguments().length === 0 && keepType(call))
        editor.change(insertAt(call.getExpression().getEnd(), keepType(call)));
    }
  },
};

const mockTypes: Rule = {
  id: "mock-types",
  from: "members of `node-mocks-http` other than those of `docs/testing.md`",
  to: "members of Express' request and response",
  kind: "marked",
  apply: (editor) => {
    const members =
      /^_(?:getHeaders|getStatusCode|getStatusMessage|getJSONData|getData|getBuffer|isJSON|isEndCalled|getRedirectUrl|isCut|getLogs)$/;
    for (const access of editor.source.getDescendantsOfKind(SyntaxKind.PropertyAccessExpression)) {
      const name = access.getName();
      if (!/^(?:request|response)Mock\w*$/.test(access.getExpression().getText())) continue;
      if (name.startsWith("_") && (!members.test(name) || name === "_getStatusMessage"))
        editor.mark(
          access,
          `There is no \`${name}\`: read a member of the request or the response.`,
          "tests",
        );
    }
  },
};

export const testingRules: readonly Rule[] = [options, assertions, jsonData, mockTypes];
