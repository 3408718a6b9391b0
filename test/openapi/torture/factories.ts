import createHttpError from "http-errors";
import {
  arrayEndpointsFactory,
  defaultEndpointsFactory,
  EndpointsFactory,
  EventStreamFactory,
  Middleware,
  problemEndpointsFactory,
  ResultHandler,
  ensureHttpError,
  ez,
  type Security,
} from "sallyport";
import { z } from "zod";

export { arrayEndpointsFactory, defaultEndpointsFactory, problemEndpointsFactory };

/** Creates a middleware that has a security requirement, and accepts `let-me-in` wherever it is sent. */
const guard = (security: Security): Middleware =>
  new Middleware({
    security,
    handler: async ({ request }) => {
      const { authorization = "", cookie = "" } = request.headers;
      const all = `${authorization} ${cookie} ${request.originalUrl} ${String(request.headers["x-key"])}`;
      if (!all.includes("let-me-in")) throw createHttpError(401, "Who are you?");
    },
  });

const flows = {
  clientCredentials: { tokenUrl: "https://example.com/token", scopes: { read: "To read" } },
};

/** Factories by the kind of security that they require. */
export const guarded = {
  basic: defaultEndpointsFactory.addMiddleware(guard({ type: "basic" })),
  bearer: defaultEndpointsFactory.addMiddleware(guard({ type: "bearer", format: "JWT" })),
  header: defaultEndpointsFactory.addMiddleware(guard({ type: "header", name: "X-Key" })),
  cookie: defaultEndpointsFactory.addMiddleware(guard({ type: "cookie", name: "session" })),
  query: defaultEndpointsFactory.addMiddleware(guard({ type: "query", name: "key" })),
  openid: defaultEndpointsFactory.addMiddleware(
    guard({ type: "openid", url: "https://example.com/.well-known/openid-configuration" }),
  ),
  oauth2: defaultEndpointsFactory.addMiddleware(guard({ type: "oauth2", flows })),
  both: defaultEndpointsFactory
    .addMiddleware(guard({ type: "bearer", format: "JWT" }))
    .addMiddleware(guard({ type: "header", name: "X-Key" })),
  either: defaultEndpointsFactory.addMiddleware(
    guard({
      or: [
        { type: "basic" },
        {
          and: [
            { type: "bearer" },
            {
              or: [
                { type: "cookie", name: "a" },
                { type: "cookie", name: "b" },
              ],
            },
          ],
        },
      ],
    }),
  ),
  input: defaultEndpointsFactory.addMiddleware(
    new Middleware({
      security: { type: "input", name: "key" },
      input: z.object({ key: z.string() }),
      handler: async ({ input: { key } }) => {
        if (key !== "let-me-in") throw createHttpError(401, "Who are you?");
      },
    }),
  ),
} as const;

/** A result handler that responds with XML, and with several statuses. */
const xmlHandler = new ResultHandler({
  positive: [
    { schema: z.string(), statusCode: 200, mimeType: "application/xml" },
    { schema: z.null(), statusCode: 202, mimeType: null },
  ],
  negative: [
    { schema: z.string(), statusCode: [400, 404], mimeType: "application/xml" },
    { schema: z.string(), mimeType: "text/plain" },
  ],
  handler: ({ error, output, response }) => {
    if (error) {
      const { statusCode } = ensureHttpError(error);
      const type = [400, 404].includes(statusCode) ? "application/xml" : "text/plain";
      response.status(statusCode).type(type).send("<error/>");
    } else if (output["later"] === true) response.status(202).end();
    else response.status(200).type("application/xml").send("<ok/>");
  },
});

export const xmlFactory = new EndpointsFactory(xmlHandler);

/** A result handler that responds with its own envelope, which includes the data of errors. */
const ownHandler = new ResultHandler({
  positive: (data) => ({ schema: z.object({ ok: z.literal(true), data }) }),
  negative: (data) => ({
    schema: z.object({ ok: z.literal(false), why: z.string(), ...(data && { details: data }) }),
  }),
  handler: ({ error, errorData, output, response }) => {
    if (!error) response.json({ ok: true, data: output });
    else
      response
        .status(ensureHttpError(error).statusCode)
        .json({ ok: false, why: error.message, details: errorData });
  },
});

export const ownFactory = new EndpointsFactory(ownHandler);

/** A result handler that responds with the bytes of an image. */
const pngHandler = new ResultHandler({
  positive: { schema: ez.buffer(), mimeType: "image/png" },
  negative: () => defaultEndpointsNegative(),
  handler: ({ error, output, response }) => {
    if (error) response.status(ensureHttpError(error).statusCode).json({ message: error.message });
    else response.type("image/png").send(output["bytes"]);
  },
});
const defaultEndpointsNegative = () => z.object({ message: z.string() });

export const pngFactory = new EndpointsFactory(pngHandler);

export const ticks = new EventStreamFactory({
  time: z.object({ now: z.int() }),
  note: z.string(),
});
