import type { IncomingMessage, ServerResponse } from "node:http";
import type { Express, Request, Response } from "express";
import { loadNodeHttp } from "../../lazy/node-modules.ts";
import { isExpressLoaded, loadExpress } from "../../lazy/packages.ts";
import { Stoppables } from "../../pipeline/stoppables.ts";
import { type AppSettings, untouched } from "../../results/send-json.ts";
import type { ServerConfig } from "../config/config.ts";
import { createRequestClass, type RequestOptions } from "./express-request.ts";
import { createResponseClass, type ResponseOptions } from "./express-response.ts";
import { markSending } from "./mark-sending.ts";
import { adopt, adoptLater, requestMembers, responseMembers } from "./placeholders.ts";

/** The classes of the requests and responses of one application, for `http.createServer`. */
export interface ExpressObjects {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse<IncomingMessage>;
  /** The application; it is made, and Express loaded, when it is first asked for. */
  readonly getApp: () => Express;
  /** The application if it is made. */
  readonly findApp: () => Express | undefined;
  /** The requests that are to be told of a shutdown. */
  readonly toStop: Stoppables;
}

/** What the requests and responses of an application are made for. */
export interface ExpressOptions
  extends Pick<RequestOptions, "fail">, Pick<ResponseOptions, "sentTwice" | "stalled"> {
  readonly etag?: ServerConfig["etag"];
  readonly queryParser?: ServerConfig["queryParser"];
  /** Puts the API on the application once it is made. */
  readonly build: (app: Express) => void;
}

/** What stands between the classes of an application and those of Node, for tools that exchange it, such as light-my-request. */
const toOwnClasses = () => {
  const node = loadNodeHttp();
  class OwnMessage extends node.IncomingMessage {}
  class OwnResponse extends node.ServerResponse {}
  return { OwnMessage, OwnResponse };
};

/**
 * Makes an Express application and classes whose instances are its requests and responses from their birth on.
 *
 * Express gives each request and response its prototypes; here they have them already, so a request costs
 * no `setPrototypeOf`, and its fields are declared at once, so that all requests share one shape.
 * Express itself is loaded when one of its members is first used, which saves 90 milliseconds of the start.
 */
export const createExpressObjects = ({
  etag = false,
  queryParser = "simple",
  stalled,
  fail,
  sentTwice,
  build,
}: ExpressOptions): ExpressObjects => {
  const { OwnMessage, OwnResponse } = toOwnClasses();
  /** Those of the application, as far as they matter, also before it is made. */
  const settings: AppSettings = { "query parser": queryParser, [untouched]: true };
  let app: Express | undefined;
  const toStop = new Stoppables();
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
  const responses = createResponseClass(OwnResponse, { settings, toStop, stalled, sentTwice });
  const { ExpressRequest } = requests;
  const { ExpressResponse } = responses;
  adoptLater(ExpressRequest.prototype, requestMembers, getApp);
  adoptLater(ExpressResponse.prototype, responseMembers, getApp);
  if (etag || isExpressLoaded()) getApp();
  return {
    getApp,
    findApp: () => app,
    toStop,
    IncomingMessage: ExpressRequest,
    ServerResponse: ExpressResponse,
  };
};

/** Connects a request and its response as Express does, where its stack is not entered. */
export const connect = (request: Request, response: Response): void => {
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
};
