// Packages that trace requests and report errors.
import assert from "node:assert/strict";
import { context, SpanKind } from "@opentelemetry/api";
import { getRPCMetadata } from "@opentelemetry/core";
import * as Sentry from "@sentry/node";
import { defaultEndpointsFactory } from "sallyport";

const waitFor = async (find) => {
  for (let turn = 0; turn < 400; turn++) {
    const found = find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error("It did not come");
};

/** Names the route on the span of the request, once the route is known. */
const nameRoute = (request, response, next) => {
  const metadata = getRPCMetadata(context.active());
  response.once("finish", () => {
    if (metadata && request.route) metadata.route = request.route.path;
  });
  next();
};

/** Names the transaction after the route. */
const nameTransaction = (request, _response, next) => {
  const name = `${request.method} ${request.route.path}`;
  Sentry.getIsolationScope().setTransactionName(name);
  const span = Sentry.getActiveSpan();
  if (span) Sentry.updateSpanName(Sentry.getRootSpan(span), name);
  next();
};

const naming = defaultEndpointsFactory.use(nameTransaction);

/** A factory whose endpoints report their errors, which the error handlers of a user's own application do not see. */
const reporting = naming.addMiddleware({
  around: async (_args, next) => {
    try {
      return await next({});
    } catch (error) {
      Sentry.captureException(error);
      throw error;
    }
  },
});

// Sentry drops an error that it has already seen, so each place throws its own
const fail = ({ request }) => {
  throw new Error(`of ${request.params.id}`);
};

export const entries = [
  {
    name: "OpenTelemetry, http and express",
    packages: ["@opentelemetry/instrumentation-http", "@opentelemetry/instrumentation-express"],
    effect: "sets `http.route` on the server's span; the handler runs within the trace",
    isolated: "instrument-opentelemetry.mjs",
    create: async (place) => {
      const { exporter } = await import("../instrument-opentelemetry.mjs");
      const { trace } = await import("@opentelemetry/api");
      exporter.reset();
      return {
        path: "/users/:id",
        layers: () => (place === "express" ? [] : [nameRoute]),
        handler: () => ({ traceId: trace.getActiveSpan()?.spanContext().traceId }),
        prove: async ({ send }) => {
          const { data } = await send("/users/7");
          const span = await waitFor(() =>
            exporter
              .getFinishedSpans()
              .find(({ kind, attributes }) => kind === SpanKind.SERVER && attributes),
          );
          assert.equal(span.attributes["http.route"], "/users/:id");
          assert.equal(span.name, "GET /users/:id");
          assert.equal(span.spanContext().traceId, data.traceId);
        },
      };
    },
  },
  {
    name: "@sentry/node, errors of middlewares",
    packages: ["@sentry/node"],
    effect: "`setupExpressErrorHandler` reports what a middleware throws",
    isolated: "instrument-sentry.mjs",
    provokesFaults: true,
    create: async (place) => {
      const { events } = await import("../instrument-sentry.mjs");
      events.length = 0;
      return {
        layers: () => [() => fail({ request: { params: { id: place } } })],
        afterRoutes: (app) => Sentry.setupExpressErrorHandler(app),
        prove: async ({ send }) => {
          assert.equal((await send("/t")).status, 500);
          const event = await waitFor(() => events.find(({ exception }) => exception));
          assert.equal(event.exception.values[0].value, `of ${place}`);
        },
      };
    },
  },
  {
    name: "@sentry/node, errors of endpoints",
    packages: ["@sentry/node"],
    effect:
      "reports errors with the route as the transaction; with `attachRouting`, in an `around` middleware",
    isolated: "instrument-sentry.mjs",
    provokesFaults: true,
    create: async (place) => {
      const { events } = await import("../instrument-sentry.mjs");
      events.length = 0;
      return {
        path: "/users/:id",
        handler: fail,
        ...(place === "attach"
          ? { factory: reporting }
          : { factory: naming, afterRoutes: (app) => Sentry.setupExpressErrorHandler(app) }),
        prove: async ({ send }) => {
          assert.equal((await send(`/users/${place}`)).status, 500);
          const event = await waitFor(() => events.find(({ exception }) => exception));
          assert.equal(event.exception.values[0].value, `of ${place}`);
          assert.equal(event.transaction, "GET /users/:id");
          const transaction = await waitFor(() =>
            events.find(({ type }) => type === "transaction"),
          );
          assert.equal(transaction.transaction, "GET /users/:id");
          assert.equal(transaction.contexts.trace.trace_id, event.contexts.trace.trace_id);
          assert.equal(events.filter(({ exception }) => exception).length, 1);
        },
      };
    },
  },
];
