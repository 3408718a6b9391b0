import { createContext, runInContext } from "node:vm";
import { defaultEndpointsFactory as factory, EventStreamFactory, ez } from "sallyport";
import { expect, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

interface Page {
  readonly specSelectors: {
    readonly allowTryItOutFor: (path: string, method: string) => boolean;
  };
}

type CreatePage = (options: object) => Page;

const nothing = () => undefined;
class MutationObserver {
  observe(): void {
    // nothing changes
  }
}
const element = {
  ...{ style: {}, setAttribute: nothing, appendChild: nothing, classList: { toggle: nothing } },
};

/** Creates the objects of a browser that Swagger UI uses before it renders anything. */
const createWindow = () => {
  const document = {
    body: { dataset: {} },
    baseURI: "http://localhost/docs",
    ...{ createElement: () => element, querySelector: () => null, addEventListener: nothing },
    ...{ documentElement: element, head: element },
  };
  const window: Record<string, unknown> = {
    ...{ document, location: new URL("http://localhost/docs"), navigator: { userAgent: "" } },
    ...{ addEventListener: nothing, setTimeout, clearTimeout, console, URL, URLSearchParams },
    ...{ Headers, Request, Response, FormData, Blob, File, AbortController, TextEncoder },
    matchMedia: () => ({ matches: false, addEventListener: nothing }),
    ...{ MutationObserver, Element: Object, HTMLElement: Object, Node: Object, history: {} },
  };
  return createContext(Object.assign(window, { window, self: window }));
};

test("Swagger UI offers to call what ends, but no event stream", async () => {
  const tick = new EventStreamFactory({ tick: z.int() }).build({ handler: nothing });
  const own = factory.build({
    output: ez.stream("text/event-stream"),
    handler: async function* () {
      yield "data: 1\n\n";
    },
  });
  const users = factory.build({ method: ["get", "post"], handler: () => ({}) });
  const info = { title: "Users", version: "1" };
  const server = await start({ tick, own, users }, { docs: { ui: "swagger", info } });
  const window = createWindow();
  runInContext((await server.send("/docs/assets/swagger-ui-bundle.js")).text, window);
  const create = window["SwaggerUIBundle"] as CreatePage;
  const spec = JSON.parse((await server.send("/docs/openapi.json")).text) as object;
  const pages: Page[] = [];
  // the document is given, and nothing is rendered
  window["SwaggerUIBundle"] = ({ url: _url, dom_id: _id, ...options }: Record<string, unknown>) =>
    pages.push(create({ ...options, spec }));
  runInContext((await server.send("/docs/assets/init.js")).text, window);
  const isOffered = (path: string, method = "get") =>
    pages[0]?.specSelectors.allowTryItOutFor(path, method);
  expect([isOffered("/tick"), isOffered("/own")]).toEqual([false, false]);
  expect([isOffered("/users"), isOffered("/users", "post")]).toEqual([true, true]);
});
