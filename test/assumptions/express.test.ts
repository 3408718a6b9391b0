import express from "express";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { requestMembers, responseMembers } from "../../src/front/server/express/express-app.ts";
import { describe, expect, test } from "vitest";
import { send } from "../http/harness.ts";

describe("assumptions about Express", () => {
  test("a new application has an empty stack, and each `use` adds one layer", () => {
    const app = express();
    expect(app.router.stack).toHaveLength(0);
    app.use((_request, _response, next) => next());
    expect(app.router.stack).toHaveLength(1);
  });

  test("the request and response prototypes of an application inherit directly from the shared ones", () => {
    const app = express();
    expect(Object.getPrototypeOf(app.request)).toBe(express.request);
    expect(Object.getPrototypeOf(app.response)).toBe(express.response);
    expect(Object.hasOwn(app, "response")).toBe(true);
    expect(Object.hasOwn(express.Router(), "response")).toBe(false);
  });

  test("the settings that affect `response.json` are unset, except for the ETag", () => {
    const { settings } = express() as unknown as { settings: Record<string, unknown> };
    expect(settings["etag fn"]).toBeTypeOf("function");
    for (const name of ["json escape", "json replacer", "json spaces"])
      expect(settings[name]).toBeUndefined();
  });

  test("the simple query parser is the default", () => {
    expect(express().get("query parser")).toBe("simple");
  });

  test("requests and responses have exactly the members that this package creates on first use", () => {
    const app = express();
    const list = (own: object): string[] => [
      ...Object.getOwnPropertyNames(Object.getPrototypeOf(own)),
      ...Object.getOwnPropertyNames(own),
    ];
    // `query` is created again on each read
    expect(list(app.request).toSorted()).toEqual([...requestMembers, "query"].toSorted());
    expect(list(app.response).toSorted()).toEqual([...responseMembers].toSorted());
  });

  const ask = async (app: express.Express, target: string): Promise<string> => {
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { text } = await send(port, target);
    server.close();
    return text;
  };

  test("a request passes through the current `handle` of the application, and through that of an application mounted on it", async () => {
    const seen: string[] = [];
    const app = express();
    const mounted = express();
    const router = express.Router();
    const mountings: unknown[] = [];
    mounted.on("mount", (parent) => mountings.push(parent === app));
    mounted.use((_request, response) => response.send("done"));
    app.use(router).use("/a", mounted);
    for (const [name, one] of Object.entries({ app, mounted, router })) {
      const own = one as unknown as Record<"handle", (...args: unknown[]) => unknown>;
      const { handle } = own;
      own.handle = function (...args) {
        seen.push(name);
        return handle.apply(this, args);
      };
    }
    expect(await ask(app, "/a")).toBe("done");
    expect(seen).toEqual(["app", "router", "mounted"]);
    expect([mountings, (mounted as unknown as { parent: unknown }).parent === app]).toEqual([
      [true],
      true,
    ]);
  });

  test("routers show their options, and an application has those of its settings", () => {
    type Shown = { readonly strict?: boolean; readonly caseSensitive?: boolean };
    const show = (router: unknown): unknown => {
      const { strict, caseSensitive } = router as Shown;
      return [strict === true, caseSensitive === true];
    };
    expect(show(express.Router({ strict: true }))).toEqual([true, false]);
    expect(show(express.Router({ caseSensitive: true }))).toEqual([false, true]);
    expect(show(express().enable("strict routing").router)).toEqual([true, false]);
    expect(show(express().enable("case sensitive routing").router)).toEqual([false, true]);
    expect(show(express().router)).toEqual([false, false]);
  });

  test("a request has no `originalUrl` before an application or a router sees it", async () => {
    const seen: unknown[] = [];
    const app = express();
    const own = app as unknown as Record<"handle", (...args: unknown[]) => unknown>;
    const { handle } = own;
    own.handle = function (...args) {
      seen.push((args[0] as express.Request).originalUrl);
      return handle.apply(this, args);
    };
    app.use((request, response) => response.send(request.originalUrl));
    expect([await ask(app, "/a"), seen]).toEqual(["/a", [undefined]]);
  });

  test("a layer exposes its function, and runs the same way in another router", async () => {
    const app = express();
    const handler: express.RequestHandler = (request, response) => {
      response.send(`${request.url} by ${request.baseUrl}`);
    };
    const onError: express.ErrorRequestHandler = (_error, _request, _response, next) => next();
    app.use("/a", handler).use(onError);
    expect(app.router.stack.map(({ handle }) => handle)).toEqual([handler, onError]);
    const other = express();
    const router = express.Router();
    router.stack.push(...app.router.stack);
    other.use(router);
    expect(await ask(other, "/a/b")).toBe("/b by /a");
  });

  test("a file that cannot be sent is reported to the request's current `next`", async () => {
    const app = express();
    app.use((request, response) => {
      request.next = () => void response.send("reported");
      response.sendFile("/none/at/all");
    });
    expect(await ask(app, "/")).toBe("reported");
  });

  test("the query parser of the settings is available as a function, and requests and responses are linked", async () => {
    const app = express();
    app.set("query parser", (text: string) => ({ text }));
    app.use((request, response) => {
      const parse = app.get("query parser fn") as (text: string) => unknown;
      const isLinked = request.res === response && response.req === request;
      response.json([parse("a=b"), request.query, isLinked, request.originalUrl]);
    });
    const answer: unknown = JSON.parse(await ask(app, "/?c=d"));
    expect(answer).toEqual([{ text: "a=b" }, { text: "c=d" }, true, "/?c=d"]);
  });
});
