import { createHash, timingSafeEqual } from "node:crypto";
import createHttpError from "http-errors";
import {
  defaultEndpointsFactory,
  EndpointsFactory,
  ensureHttpError,
  EventStreamFactory,
  Middleware,
  ResultHandler,
  toPublicMessage,
} from "sallyport";
import { z } from "zod";
import { user } from "./user-schemas.ts";
import { UsersStore } from "./users-store.ts";

const users = new UsersStore();

/** The API key of the example; a real application would look keys up. */
export const apiKey = "open-sesame";

/** Compares two keys by their hashes, so that the comparison takes the same time for any key. */
const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(
    createHash("sha256").update(one).digest(),
    createHash("sha256").update(other).digest(),
  );

const keyMiddleware = new Middleware({
  security: { type: "header", name: "x-api-key" },
  handler: async ({ request, logger }) => {
    if (!isSame(request.get("x-api-key") ?? "", apiKey)) {
      logger.warn("Rejected a request without a valid key");
      throw createHttpError(401, "Send a valid key in the header x-api-key");
    }
    return { caller: "example" };
  },
});

/** The factory for endpoints that anyone may call. */
export const publicFactory = defaultEndpointsFactory.addContext(async () => ({ users }));

/** The factory for endpoints that require the API key. */
export const keyFactory = publicFactory.addMiddleware(keyMiddleware);

const changes = { saved: user, removed: z.object({ id: z.uuid() }) };

/** The factory for endpoints that stream the changes to users. */
export const changesFactory = new EventStreamFactory(changes).addContext(async () => ({ users }));

/** A custom result handler, which responds with CSV instead of JSON. */
const csvResultHandler = new ResultHandler({
  positive: { schema: z.string(), mimeType: "text/csv" },
  negative: { schema: z.string(), mimeType: "text/plain" },
  handler: ({ error, output, response }) => {
    if (error) {
      const { statusCode } = ensureHttpError(error);
      response.status(statusCode).type("text/plain").send(toPublicMessage(error));
      return;
    }
    response.status(200).type("text/csv").send(String(output["csv"]));
  },
});

/** The factory for endpoints that respond with CSV. */
export const csvFactory = new EndpointsFactory(csvResultHandler).addContext(async () => ({
  users,
}));
