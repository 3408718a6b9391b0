import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Request, Response } from "express";
import { loadNodeHttp } from "../../lazy/node-modules.ts";
import { isExpressLoaded, loadExpress } from "../../lazy/packages.ts";
import { RunningRequests } from "../../pipeline/running-requests.ts";
import { type AppSettings, untouched } from "../../results/send-json.ts";
import type { ServerConfig } from "../config/config.ts";
import { createRequestClass, type RequestOptions } from "./express-request.ts";
import { createResponseClass, type ResponseOptions } from "./express-response.ts";
import { markSending } from "./mark-sending.ts";
import { adopt, adoptLater, requestMembers, responseMembers } from "./placeholders.ts";

/** The request and response classes of one application, for `http.createServer`. */
export interface ExpressObjects {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
  /** Returns the application; it is created, and Express is loaded, when it is first needed. */
  readonly getApp: () => Express;
  /** Returns the application, if it has been created. */
  readonly findApp: () => Express | undefined;
  /** The requests that a shutdown notifies and waits for. */
  readonly running: RunningRequests;
}

/** The options that an application's requests and responses share. */
export interface ExpressOptions
  extends
    Pick<RequestOptions, "fail">,
    Pick<ResponseOptions, "sentTwice" | "stalled" | "wrongLength"> {
  readonly etag?: ServerConfig["etag"];
  readonly queryParser?: ServerConfig["queryParser"];
  /** Adds the API to the application once it is created. */
  readonly build: (app: Express) => void;
}

/**
 * Creates classes that stand between an application's classes and Node's in the prototype chain, because tools such as
 * light-my-request replace these.
 */
const toOwnClasses = () => {
  const node = loadNodeHttp();
  class OwnMessage extends node.IncomingMessage {}
  class OwnResponse extends node.ServerResponse {}
  return { OwnMessage, OwnResponse };
};

/**
 * Creates an Express application, and the classes of its requests and responses.
 *
 * Express sets the prototype of each request and response. Here, the classes already have these prototypes, so that no
 * `setPrototypeOf` is needed. Fields are declared in the constructor, so that all requests share one shape. Express
 * itself is loaded when one of its members is first used, which saves 90 milliseconds at startup.
 */
export const createExpressObjects = ({
  etag = false,
  queryParser = "simple",
  stalled,
  fail,
  sentTwice,
  wrongLength,
  build,
}: ExpressOptions): ExpressObjects => {
  const { OwnMessage, OwnResponse } = toOwnClasses();
  /** The settings that are needed before the application is created. */
  const settings: AppSettings = { "query parser": queryParser, [untouched]: true };
  let app: Express | undefined;
  const running = new RunningRequests();
  const getApp = (): Express => {
    if (app) return app;
    app = loadExpress()();
    adopt(ExpressRequest.prototype, app.request, ["query", "next"]);
    adopt(ExpressResponse.prototype, app.response, ["locals"]);
    markSending(ExpressResponse.prototype as unknown as Response);
    app.request = ExpressRequest.prototype as unknown as Request;
    app.response = ExpressResponse.prototype as unknown as Response;
    app.disable("x-powered-by");
    app.set("etag", etag);
    app.set("query parser", queryParser);
    const made = app as unknown as { readonly settings: AppSettings };
    requests.useSettings(made.settings);
    responses.useSettings(made.settings);
    build(app);
    return app;
  };
  const requests = createRequestClass(OwnMessage, { settings, getApp, fail });
  const responses = createResponseClass(OwnResponse, {
    settings,
    requests: running,
    stalled,
    sentTwice,
    wrongLength,
  });
  const { ExpressRequest } = requests;
  const { ExpressResponse } = responses;
  adoptLater(ExpressRequest.prototype, requestMembers, getApp);
  adoptLater(ExpressResponse.prototype, responseMembers, getApp);
  if (etag || isExpressLoaded()) getApp();
  return {
    getApp,
    findApp: () => app,
    running,
    IncomingMessage: ExpressRequest,
    ServerResponse: ExpressResponse,
  };
};

/** Connects a request and its response as Express does, for requests that skip the Express stack. */
export const connect = (request: Request, response: Response): void => {
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
};
