import { Node, SyntaxKind, type Node as AnyNode, type ObjectLiteralExpression } from "ts-morph";
import type { Rule } from "../rule.ts";
import { between, insertAt, replace } from "../source-editor.ts";
import {
  callsOf,
  functionAround,
  isPromise,
  localNames,
  methodCalls,
  nameOf,
  newsOf,
  objectArgument,
  toObject,
  valueOf,
} from "../syntax.ts";
import type { SourceEditor } from "../source-editor.ts";

const methods = new Set(["get", "post", "put", "patch", "delete", "query"]);

/** Returns the routing maps that a file declares, with the maps within them. */
const routingMaps = (editor: SourceEditor): readonly ObjectLiteralExpression[] => {
  const names = localNames(editor.source, "Routing");
  const typed = editor.source
    .getDescendantsOfKind(SyntaxKind.VariableDeclaration)
    .filter((one) => names.includes(one.getTypeNode()?.getText() ?? ""))
    .map((one) => toObject(one.getInitializer()));
  const checked = editor.source
    .getDescendantsOfKind(SyntaxKind.SatisfiesExpression)
    .filter((one) => names.includes(one.getTypeNode()?.getText() ?? ""))
    .map((one) => toObject(one.getExpression()));
  const given = ["createServer", "attachRouting"]
    .flatMap((name) => callsOf(editor.source, name))
    .map((call) => objectArgument(call, 1));
  const roots = [...typed, ...checked, ...given].filter((one) => one !== undefined);
  return roots.flatMap(withNested);
};

const withNested = (map: ObjectLiteralExpression): readonly ObjectLiteralExpression[] => [
  map,
  ...map.getProperties().flatMap((element) => {
    const value = toObject(valueOf(element));
    return value ? withNested(value) : [];
  }),
];

const methodSegments: Rule = {
  id: "method-segments",
  from: "an endpoint at a key such as `get` outside `DependsOnMethod`: a segment of the path (up to 25)",
  to: '`"/get"`',
  kind: "rewritten",
  apply: (editor) => {
    const { major } = editor.facts;
    if (major === undefined || major > 25) return;
    for (const map of routingMaps(editor))
      for (const element of map.getProperties()) {
        const name = nameOf(element) ?? "";
        if (!Node.isPropertyAssignment(element) || !methods.has(name)) continue;
        if (toObject(element.getInitializer())) continue;
        editor.change(replace(element.getNameNode(), `"/${name}"`));
      }
  },
};

/** Returns the text between the braces of an object, or what spreads another expression. */
const toMembers = (node: AnyNode): string => {
  const object = toObject(node);
  if (!object) return ` ...${node.getText()} `;
  return object.getText().slice(1, -1);
};

const dependsOnMethod: Rule = {
  id: "depends-on-method",
  from: "`new DependsOnMethod({ get })`, also with `.nest({ … })` (up to 25)",
  to: "`{ get }`, with the nested routes beside the methods",
  kind: "rewritten",
  apply: (editor) => {
    for (const made of newsOf(editor.source, "DependsOnMethod")) {
      const [argument] = made.getArguments();
      if (!argument) continue;
      const access = made.getParent();
      const call = access?.getParent();
      const isNested =
        Node.isPropertyAccessExpression(access) &&
        access.getName() === "nest" &&
        Node.isCallExpression(call);
      const nested = isNested ? call.getArguments()[0] : undefined;
      if (!isNested || !nested) {
        editor.change(
          between(made.getStart(), argument.getStart()),
          between(argument.getEnd(), made.getEnd()),
        );
        continue;
      }
      const own = toMembers(argument);
      const end = /\s*$/.exec(own)?.[0] ?? "";
      const kept = own.trimEnd();
      const comma = kept === "" || kept.endsWith(",") ? "" : ",";
      const more = toMembers(nested);
      const gap = more.startsWith("\n") || more.startsWith(" ") ? "" : end === "" ? " " : end;
      editor.change(replace(call, `{${kept}${comma}${gap}${more}}`));
    }
  },
};

const satisfies: Rule = {
  id: "satisfies-routing",
  from: "`const routing: Routing = { … }`",
  to: "`const routing = { … } satisfies Routing`, which keeps the types of the routes",
  kind: "rewritten",
  apply: (editor) => {
    const names = localNames(editor.source, "Routing");
    for (const declaration of editor.source.getDescendantsOfKind(SyntaxKind.VariableDeclaration)) {
      const type = declaration.getTypeNode();
      const value = declaration.getInitializer();
      if (!type || !Node.isObjectLiteralExpression(value) || !names.includes(type.getText()))
        continue;
      editor.change(
        between(declaration.getNameNode().getEnd(), type.getEnd()),
        insertAt(value.getEnd(), ` satisfies ${type.getText()}`),
      );
    }
  },
};

const patterns: Rule = {
  id: "path-patterns",
  from: "keys with patterns of Express, such as `:id?` or `{/more}`",
  to: "`:name`, `*rest`, and one key for each path",
  kind: "marked",
  apply: (editor) => {
    for (const map of routingMaps(editor))
      for (const element of map.getProperties())
        if (/[?+(){}]/.test(nameOf(element) ?? ""))
          editor.mark(
            element,
            "Write one key for each path, with `:name` and `*rest` only.",
            "routing",
          );
  },
};

/** The members of what `createServer` returned up to 20. */
const servers = ["httpServer", "httpsServer"];

const serverResult: Rule = {
  id: "server-result",
  from: "`{ httpServer, httpsServer }` of `createServer` (up to 20)",
  to: "`{ servers: [httpServer, httpsServer] }`",
  kind: "rewritten",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "createServer")) {
      const declaration = call.getFirstAncestorByKind(SyntaxKind.VariableDeclaration);
      const pattern = declaration?.getNameNode();
      if (!Node.isObjectBindingPattern(pattern)) continue;
      const old = pattern
        .getElements()
        .filter((one) =>
          servers.includes((one.getPropertyNameNode() ?? one.getNameNode()).getText()),
        );
      if (old.length === 0) continue;
      const named = servers.map(
        (name) =>
          old
            .find((one) => (one.getPropertyNameNode() ?? one.getNameNode()).getText() === name)
            ?.getName() ?? "",
      );
      const list = named.join(", ").replace(/, $/, "");
      const others = pattern.getElements().filter((one) => !old.includes(one));
      const members = [...others.map((one) => one.getText()), `servers: [${list}]`];
      editor.change(replace(pattern, `{ ${members.join(", ")} }`));
    }
  },
};

const awaited: Rule = {
  id: "await-server",
  from: "`createServer` without `await` (up to 14, 29); `await attachRouting`, `attachRouting(…).then` (15 to 17)",
  to: "`await createServer`, or `void createServer` where nothing can be awaited; `attachRouting`",
  kind: "both",
  apply: (editor) => {
    for (const call of callsOf(editor.source, "createServer")) {
      const parent = call.getParent();
      const isResult =
        Node.isVariableDeclaration(parent) || Node.isPropertyAccessExpression(parent);
      if (isPromise(call)) continue;
      if (!isResult && !Node.isExpressionStatement(parent)) continue;
      const outer = functionAround(call);
      const mayAwait = outer
        ? Node.isAsyncable(outer) && outer.isAsync()
        : editor.facts.mayAwait(editor.source.getFilePath());
      const text = `await ${call.getText()}`;
      if (mayAwait)
        editor.change(replace(call, Node.isPropertyAccessExpression(parent) ? `(${text})` : text));
      else if (isResult)
        editor.mark(call, "`createServer` returns a promise: await it.", "starting");
      else editor.change(replace(call, `void ${call.getText()}`));
    }
    for (const call of callsOf(editor.source, "attachRouting")) {
      const parent = call.getParent();
      if (Node.isAwaitExpression(parent)) editor.change(replace(parent, call.getText()));
      else if (isPromise(call)) editor.change(replace(call, `Promise.resolve(${call.getText()})`));
    }
  },
};

const notNested: Rule = {
  id: "routing-internals",
  from: "`pairs`, `firstEndpoint`, `siblingMethods`, `endpoints` of `DependsOnMethod`; methods of endpoints that begin with `get`",
  to: "`generateOpenApi`, or the routing map itself",
  kind: "marked",
  apply: (editor) => {
    const internals = [
      "getMethods",
      "getMimeTypes",
      "getResponses",
      "getSecurity",
      "getOperationId",
    ];
    for (const { call } of methodCalls(editor.source, ...internals, "getRequestType"))
      editor.mark(
        call,
        "Endpoints have no public getters: read the document of `generateOpenApi`.",
        "routing",
      );
  },
};

export const routingRules: readonly Rule[] = [
  methodSegments,
  dependsOnMethod,
  satisfies,
  patterns,
  notNested,
  serverResult,
  awaited,
];
