import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Request, Response } from "express";
import { defaults } from "../../../basics/defaults.ts";
import { ConfigError } from "../../../basics/errors.ts";
import { findExpress, loadExpress } from "../../../basics/lazy/packages.cjs";
import { hasNodeState } from "../../../basics/http/node-internals.ts";
import { toPackageError } from "../../../basics/messages/missing-package.ts";
import { plainWays, type AppFacts } from "../../../wire/exchange/ways.ts";
import { shortcuts } from "../../../wire/shortcuts/shortcuts.ts";
import type { ServerConfig } from "../config/config.ts";
import {
  createRequestClass,
  createResponseClass,
  toExpressPatchCheck,
  toPatchCheck,
} from "./express-classes.ts";
import { markSending } from "./mark-sending.ts";

/**
 * Creates an Express application, and the classes of its requests and responses, whose prototypes Express need not set.
 * Express itself is loaded when one of its members is first used, which saves 90 milliseconds at startup.
 *
 * @throws {@link ConfigError} when Express is not installed.
 */
export const createExpressObjects = (
  {
    etag = false,
    queryParser = defaults.queryParser,
    responseIdleTimeout = defaults.responseIdleTimeout,
    shortcuts: mayTakeShortcuts = defaults.shortcuts,
    trustProxy,
  }: Partial<ServerConfig>,
  build: (app: Express) => void = () => undefined,
  node: MessageClasses = process.getBuiltinModule("node:http"),
) => {
  assertExpress();
  // tools such as light-my-request replace the classes between an application's and Node's in the prototype chain
  class OwnMessage extends node.IncomingMessage {}
  class OwnResponse extends node.ServerResponse {}
  const lacksShortcuts = mayTakeShortcuts && !hasNodeState(OwnResponse);
  const isNodePatched = toPatchCheck(OwnResponse.prototype);
  const facts: { -readonly [Key in keyof AppFacts]: AppFacts[Key] } = {
    ways: mayTakeShortcuts && !lacksShortcuts ? shortcuts : plainWays,
    settings: { "query parser": queryParser },
    isPristine: true,
    express: undefined,
    isPatched: isNodePatched,
  };
  const getApp = (): Express => {
    if (facts.express) return facts.express;
    const app = loadExpress()();
    facts.express = app;
    copyMembers(ExpressRequest.prototype, app.request, ["query", "next"]);
    copyMembers(ExpressResponse.prototype, app.response, ["locals"]);
    markSending(ExpressResponse.prototype as unknown as Response);
    const methods = ExpressResponse.prototype as unknown as Response;
    facts.isPatched = toExpressPatchCheck(methods, isNodePatched);
    app.request = ExpressRequest.prototype as unknown as Request;
    app.response = ExpressResponse.prototype as unknown as Response;
    app.disable("x-powered-by");
    app.set("etag", etag);
    app.set("query parser", queryParser);
    setProxies(app, trustProxy);
    ({ settings: facts.settings } = app as unknown as AppFacts);
    facts.isPristine = false;
    build(app);
    return app;
  };
  const ExpressRequest = createRequestClass(OwnMessage, facts, getApp);
  const ExpressResponse = createResponseClass(OwnResponse, facts, responseIdleTimeout);
  copyMembersLater(ExpressRequest.prototype, requestMembers, getApp);
  copyMembersLater(ExpressResponse.prototype, responseMembers, getApp);
  // the application is created, and Express is loaded, when `getApp` is first called
  const classes = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
  return { getApp, facts, ...classes, lacksShortcuts };
};

/** @throws {@link ConfigError} when Express does not accept an address. */
const setProxies = (app: Express, trustProxy: ServerConfig["trustProxy"]): void => {
  if (trustProxy === undefined) return;
  try {
    app.set("trust proxy", trustProxy);
  } catch (cause) {
    throw new ConfigError(
      "SLP_CONFIG_VALUE",
      `The \`trustProxy\` option must have addresses or subnets, such as "10.0.0.0/8", or the names "loopback", "linklocal" and "uniquelocal"; got an ${(cause as Error).message}.`,
      cause,
    );
  }
};

const assertExpress = (): void => {
  try {
    findExpress();
  } catch (cause) {
    throw toPackageError("A server", "express", cause);
  }
};

/** The classes of messages on which those of an application are built. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
}

export type ExpressObjects = ReturnType<typeof createExpressObjects>;

/** The members that Express adds to requests, apart from those that `ExpressRequest` defines itself. */
export const requestMembers: readonly string[] = [
  ...["accepts", "acceptsCharsets", "acceptsEncodings", "acceptsLanguages", "app", "fresh", "get"],
  ...["header", "host", "hostname", "ip", "ips", "is", "path", "protocol", "range", "secure"],
  ...["stale", "subdomains", "xhr"],
];

export const responseMembers: readonly string[] = [
  ...["app", "append", "attachment", "clearCookie", "contentType", "cookie", "download", "format"],
  ...["get", "header", "json", "jsonp", "links", "location", "redirect", "render", "send"],
  ...["sendFile", "sendStatus", "set", "status", "type", "vary"],
];

const copyMembers = (target: object, own: object, except: readonly string[]): void => {
  for (const source of [Object.getPrototypeOf(own) as object, own]) {
    const descriptors = Object.getOwnPropertyDescriptors(source);
    for (const name of except) delete descriptors[name as keyof typeof descriptors];
    Object.defineProperties(target, descriptors);
  }
};

/** Adds placeholders to a prototype; when one is first used, all of them are replaced by Express' members. */
const copyMembersLater = (target: object, members: readonly string[], copyAll: () => unknown) => {
  for (const member of members)
    Object.defineProperty(target, member, {
      configurable: true,
      enumerable: true,
      get(this: object): unknown {
        // the placeholder must not remain, even if this version of Express lacks the member
        Reflect.deleteProperty(target, member);
        copyAll();
        return Reflect.get(target, member, this);
      },
      set(this: object, value: unknown): void {
        Reflect.deleteProperty(target, member);
        copyAll();
        Reflect.set(target, member, value, this);
      },
    });
};
