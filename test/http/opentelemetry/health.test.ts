import { once } from "node:events";
import { context, trace } from "@opentelemetry/api";
import { RPCType, setRPCMetadata } from "@opentelemetry/core";
import express from "express";
import { attachRouting, defaultEndpointsFactory as factory } from "sallyport";
import { openTelemetry } from "sallyport/opentelemetry";
import { expect, test } from "vitest";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { send, start } from "../harness.ts";
import { useSdk } from "./telemetry-sdk.ts";

const sdk = useSdk();

const check = (): void => trace.getTracer("test").startSpan("SELECT 1").end();
const routing = { hello: factory.build({ handler: () => ({}) }) };
const telemetry = openTelemetry({ spans: ["handler"] });
const spanNames = () => sdk.spans.getFinishedSpans().map(({ name }) => name);
const routes = async () =>
  (await sdk.readDurations()).map(({ attributes }) => attributes["http.route"]);

test("requests for health have no spans and no metric, nor has what the checks do", async () => {
  const health = { ready: "/Ready", checks: { check } };
  const server = await start(routing, { health, telemetry, caseSensitive: false });
  const paths = ["/livez", "/livez/?verbose", "/LIVEZ", "/Ready", "/ready?a=/", "/hello"];
  for (const path of paths) expect((await server.send(path)).status).toBe(200);
  await server.send("/livez", { method: "HEAD" });
  await sdk.untilServed();
  expect(spanNames()).toEqual(["handler", "GET /hello"]);
  expect(await routes()).toEqual(["/hello"]);
  expect((await server.send("/livez", { method: "POST" })).status).toBe(405);
  await sdk.untilServed(2);
});

test("nor if the API is attached below a path of another application", async () => {
  const app = express();
  // not a router, because the paths of routers are told only until there have been many of them
  const mounted = express();
  app.use("/api", mounted);
  attachRouting({ app: mounted, cors: false, health: true, telemetry }, routing);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    for (const path of ["/api/livez", "/api/readyz", "/api/hello"])
      expect((await send(port, path)).status).toBe(200);
    await sdk.untilServed();
    expect(await routes()).toEqual(["/api/hello"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("with `telemetry: true` of `health`, they are observed like all others", async () => {
  const health = { telemetry: true, checks: { check } };
  const server = await start(routing, { health, telemetry: openTelemetry() });
  for (const path of ["/livez", "/readyz"]) await server.send(path);
  await sdk.untilServed(2);
  expect(spanNames()).toEqual(["GET /livez", "SELECT 1", "GET /readyz"]);
  expect(await routes()).toEqual(["/livez", "/readyz"]);
});

test("a span that an instrumentation has made gets the route, because it is sent in any case", async () => {
  const begun = telemetry.begin;
  const outer = {
    ...telemetry,
    begin: (...args: Parameters<typeof begun>) => {
      const span = trace.getTracer("test").startSpan("GET");
      const metadata = { type: RPCType.HTTP, span } as const;
      const active = setRPCMetadata(trace.setSpan(context.active(), span), metadata);
      const observation = context.with(active, () => begun(...args));
      return (
        observation && {
          ...observation,
          end: () => (
            observation.end(),
            span.updateName(String(Reflect.get(metadata, "route"))).end()
          ),
        }
      );
    },
  };
  const server = await start(routing, { health: true, telemetry: outer });
  await server.send("/livez");
  await expect.poll(spanNames).toContain("/livez");
});
