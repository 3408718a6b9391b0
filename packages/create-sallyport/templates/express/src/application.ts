import express from "express";
import { findCaller, toCaller } from "./caller.ts";

/** The Express application, with a middleware and a route of its own. */
export const application = express();

application.use(findCaller);

application.get("/whoami", (_request, response) => {
  response.json({ name: toCaller(response)?.name ?? null });
});
