import { Node, SyntaxKind, type Node as AnyNode, type SourceFile } from "ts-morph";
import type { Rule } from "../rule.ts";
import {
  addProperty,
  between,
  removeTypeArguments,
  replace,
  type SourceEditor,
} from "../source-editor.ts";
import {
  chainNames,
  chainRoot,
  functionAround,
  initializerOf,
  isAsync,
  methodCalls,
  nameOf,
  newsOf,
  objectArgument,
  property,
  usesOf,
  valueOf,
} from "../syntax.ts";
import { endpointDefinitions, middlewareDefinitions } from "./handlers.ts";

const factoryArguments: Rule = {
  id: "factory-arguments",
  from: "`new EndpointsFactory({ config, resultHandler })`, `new EventStreamFactory({ config, events })` (up to 21)",
  to: "`new EndpointsFactory(resultHandler)`, `new EventStreamFactory(events)`",
  kind: "rewritten",
  apply: (editor) => {
    for (const [name, key] of [
      ["EndpointsFactory", "resultHandler"],
      ["EventStreamFactory", "events"],
    ] as const)
      for (const made of newsOf(editor.source, name)) {
        const argument = objectArgument(made);
        const names = argument?.getProperties().map(nameOf) ?? [];
        const isOld = names.includes(key) && names.every((one) => one === key || one === "config");
        const value = valueOf(property(argument, key));
        if (argument && isOld && value) editor.change(replace(argument, value.getText()));
      }
  },
};

const plurals: Rule = {
  id: "plurals",
  from: "`methods`, `tags`, `scopes` of an endpoint (up to 20)",
  to: "`method`, `tag`, `scope`",
  kind: "rewritten",
  apply: (editor) => {
    for (const definition of endpointDefinitions(editor.source))
      for (const name of ["methods", "tags", "scopes"]) {
        const element = property(definition, name);
        const singular = name.slice(0, -1);
        if (Node.isShorthandPropertyAssignment(element))
          editor.change(replace(element, `${singular}: ${name}`));
        else if (Node.isPropertyAssignment(element)) {
          const value = element.getInitializerOrThrow();
          const [only, ...more] = Node.isArrayLiteralExpression(value) ? value.getElements() : [];
          const single = only && more.length === 0 ? [replace(value, only.getText())] : [];
          editor.change(replace(element.getNameNode(), singular), ...single);
        }
      }
  },
};

const summary: Rule = {
  id: "summary",
  from: "`summary` of an endpoint (from 28)",
  to: "`shortDescription`",
  kind: "rewritten",
  apply: (editor) => {
    for (const definition of endpointDefinitions(editor.source)) {
      const element = property(definition, "summary");
      if (Node.isPropertyAssignment(element))
        editor.change(replace(element.getNameNode(), "shortDescription"));
      else if (element) editor.change(replace(element, "shortDescription: summary"));
    }
  },
};

const typeArguments: Rule = {
  id: "build-types",
  from: "type arguments of `build`, `buildVoid` and `addMiddleware`",
  to: "none: they are inferred",
  kind: "rewritten",
  apply: (editor) => {
    const calls = [
      // other classes have a method `build`, too
      ...endpointDefinitions(editor.source).map((one) => one.getParent()),
      ...methodCalls(editor.source, "addMiddleware").map(({ call }) => call),
    ];
    for (const call of calls) {
      const types = Node.isCallExpression(call) ? removeTypeArguments(call) : [];
      if (types.length > 0) editor.change(...types);
    }
  },
};

/** Checks whether an expression makes an endpoint, as far as the file tells. */
const makesEndpoint = (node: AnyNode): boolean => {
  const made = initializerOf(node) ?? node;
  return chainNames(made).some((name) => name === "build" || name === "buildVoid");
};

const deprecatedEndpoints: Rule = {
  id: "deprecated-endpoints",
  from: "`endpoint.deprecated()`",
  to: "`deprecated: true` in `build`; a mark elsewhere",
  kind: "both",
  apply: (editor) => {
    for (const { call, object } of methodCalls(editor.source, "deprecated")) {
      const definition = Node.isCallExpression(object) ? objectArgument(object) : undefined;
      if (definition && ["build", "buildVoid"].includes(chainNames(object)[0] ?? ""))
        editor.change(
          addProperty(definition, "deprecated: true"),
          between(object.getEnd(), call.getEnd()),
        );
      else if (makesEndpoint(object) || isDependent(object))
        editor.mark(call, "Set `deprecated: true` in the `build` of the endpoint.", "endpoints");
    }
  },
};

const isDependent = (node: AnyNode): boolean => {
  const root = chainRoot(node);
  return Node.isNewExpression(root) && root.getExpression().getText() === "DependsOnMethod";
};

/** Checks whether a chain begins with an event stream factory. */
const isEventStream = (node: AnyNode, { facts }: SourceEditor): boolean => {
  const root = chainRoot(node);
  return Node.isNewExpression(root)
    ? root.getExpression().getText() === "EventStreamFactory"
    : facts.streamFactories.has(root.getText());
};

/** Returns the variables that hold an event stream factory, whichever file creates or extends it. */
export const findStreamFactories = (sources: readonly SourceFile[]): ReadonlySet<string> => {
  const variables = sources.flatMap((source) =>
    source.getDescendantsOfKind(SyntaxKind.VariableDeclaration).map((one) => {
      const value = one.getInitializer();
      const isBuilt =
        value === undefined ||
        chainNames(value).includes("build") ||
        chainNames(value).includes("buildVoid");
      return { name: one.getName(), root: isBuilt ? "" : chainRoot(value).getText() };
    }),
  );
  const found = new Set<string>();
  for (let size = -1; size < found.size;) {
    size = found.size;
    for (const { name, root } of variables)
      if (found.has(root) || /^new EventStreamFactory\b/.test(root)) found.add(name);
  }
  return found;
};

const eventStreams: Rule = {
  id: "event-streams",
  from: "`buildVoid` of an `EventStreamFactory`; `emit` without `await`",
  to: "`build`; `await emit` in asynchronous functions, a mark in others",
  kind: "both",
  apply: (editor) => {
    for (const { name, object } of methodCalls(editor.source, "buildVoid"))
      if (isEventStream(object, editor)) editor.change(replace(name, "build"));
    for (const definition of endpointDefinitions(editor.source)) {
      const call = definition.getParent();
      if (!Node.isCallExpression(call) || !isEventStream(call, editor)) continue;
      for (const emitted of definition.getDescendantsOfKind(SyntaxKind.CallExpression)) {
        if (!/^(?:(?:ctx|options)\.)?emit$/.test(emitted.getExpression().getText())) continue;
        const outer = functionAround(emitted);
        if (!Node.isExpressionStatement(emitted.getParent())) continue;
        if (outer && isAsync(outer)) editor.change(replace(emitted, `await ${emitted.getText()}`));
        else editor.mark(emitted, "`emit` returns a promise: await it.", "event-streams");
      }
    }
  },
};

const statusCodes: Rule = {
  id: "status-codes",
  from: "`statusCode` of endpoints and middlewares (29)",
  to: "one success status as `statusCode`; a mark for others, which `errors` declares",
  kind: "both",
  apply: (editor) => {
    const text =
      "Declare each status of an error in `errors`, and one success status as `statusCode`.";
    const isPlain = (node: AnyNode | undefined) => /^2\d\d$/.test(node?.getText() ?? "");
    for (const definition of endpointDefinitions(editor.source)) {
      const element = property(definition, "statusCode");
      const value = valueOf(element);
      if (!element || !value || isPlain(value) || !/^[[\d]/.test(value.getText())) continue;
      const successes = Node.isArrayLiteralExpression(value)
        ? value.getElements().filter(isPlain)
        : [];
      const [only] = successes;
      if (only && successes.length === 1) {
        editor.mark(element, text, "endpoints");
        editor.change(replace(value, only.getText()));
      } else editor.removeWithMark(element, text, "endpoints");
    }
    for (const definition of middlewareDefinitions(editor.source)) {
      const element = property(definition, "statusCode");
      if (element) editor.removeWithMark(element, text, "middlewares");
    }
  },
};

/** Methods of factories that have no counterpart of the same shape. */
const replaced: Readonly<Record<string, string>> = {
  useRateLimit: "Use `rateLimit` of sallyport/rate-limit.",
  useCache: "Set Cache-Control in a middleware, or use `version` for ETags.",
  useCacheMiddleware: "Set Cache-Control in a middleware, or use `version` for ETags.",
  useCookies: "Set `cookies` in the configuration, and call `response.cookie`.",
};

const factoryParts: Rule = {
  id: "factory-parts",
  from: "`useRateLimit`, `useCache`, `useCookies`; `createRateLimitMiddleware` and the like (from 28)",
  to: "`sallyport/rate-limit`, header fields, `cookies`",
  kind: "marked",
  apply: (editor) => {
    for (const { call, name } of methodCalls(editor.source, ...Object.keys(replaced)))
      editor.mark(call, replaced[name.getText()] ?? "", "rate-limits-caches-and-cookies");
    for (const [name, method] of [
      ["createRateLimitMiddleware", "useRateLimit"],
      ["createCacheMiddleware", "useCache"],
      ["createCookieMiddleware", "useCookies"],
    ] as const)
      for (const use of usesOf(editor.source, name))
        editor.mark(use, replaced[method] ?? "", "rate-limits-caches-and-cookies");
  },
};

const executed: Rule = {
  id: "execute",
  from: "`execute` of endpoints, middlewares and result handlers",
  to: "`testEndpoint`, `testMiddleware`, or one's own function",
  kind: "marked",
  apply: (editor) => {
    const made = /new Middleware\b|\.build(?:Void)?\(|new ResultHandler\b/;
    for (const { call, object } of methodCalls(editor.source, "execute"))
      if (
        made.test((initializerOf(object) ?? object).getText()) ||
        object.getText().endsWith("ResultHandler")
      )
        editor.mark(
          call,
          "`execute` is not public: call `testEndpoint`, or a function of your own.",
          "tests",
        );
  },
};

export const factoryRules: readonly Rule[] = [
  factoryArguments,
  plurals,
  summary,
  typeArguments,
  deprecatedEndpoints,
  eventStreams,
  statusCodes,
  factoryParts,
  executed,
];
