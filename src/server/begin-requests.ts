import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, Response } from "express";
import { RequestState, type Service } from "../pipeline/request-state.ts";
import { recover } from "../pipeline/send-result.ts";

/** Serves a request; the returned promise, if any, rejects only if the framework has a defect. */
export type Serve = (state: RequestState) => Promise<void> | undefined;

/** Creates the state of a request, and connects the request to its response as Express does. */
export const connect = (request: Request, response: Response, service: Service): RequestState => {
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
  return new RequestState(request, response, service);
};

/**
 * Creates a listener that begins each request and serves it. A defect of the framework itself neither ends the process
 * nor leaves a client without a response: whatever is thrown is logged, and responded to with 500.
 */
export const beginRequests =
  (serve: Serve, service: Service) =>
  (message: IncomingMessage, reply: ServerResponse): void => {
    // the server creates requests and responses with the application's classes
    const request = message as Request;
    const response = reply as Response;
    const state = connect(request, response, service);
    try {
      serve(state)?.catch((error: unknown) => recover(state, error));
    } catch (error) {
      recover(state, error);
    }
  };
