import type { RequestHandler, Response } from "express";

/** Who has sent a request. */
export interface Caller {
  readonly name: string;
}

const callers = new Map([["secret", { name: "ada" }]]);

/** A middleware of the application: finds out who has sent a request, by its token. */
export const findCaller: RequestHandler = (request, response, next) => {
  const [, token = ""] = /^Bearer (.+)$/.exec(request.get("authorization") ?? "") ?? [];
  response.locals["caller"] = callers.get(token);
  next();
};

/** Returns what `findCaller` has found out. */
export const toCaller = (response: Response): Caller | undefined =>
  response.locals["caller"] as Caller | undefined;
