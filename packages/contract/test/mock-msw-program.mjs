// Run by test/full/mock-msw.test.ts on a Node.js that MSW supports: answers requests of `fetch` from a mock.
import { setupServer } from "msw/node";
import { defaultEndpointsFactory, ez } from "sallyport";
import { z } from "zod";
import { mswHandlers } from "@sallyport/contract/msw";
import { mockServer } from "@sallyport/contract";

const handler = () => {
  throw new Error("The application's own handler runs");
};
const user = z.object({ id: z.int(), name: z.string().meta({ examples: ["Ada"] }) });
const routing = {
  "users/:id": {
    get: defaultEndpointsFactory.build({
      ...{ input: z.object({ id: z.coerce.number() }), output: user, handler },
    }),
    put: defaultEndpointsFactory.build({
      ...{ input: z.object({ id: z.coerce.number(), name: z.string() }), output: user, handler },
    }),
  },
  picture: defaultEndpointsFactory.build({ output: ez.buffer("image/png"), handler }),
};
const mock = await mockServer({ routing });
const server = setupServer(
  ...mswHandlers(mock, "https://api.example.com"),
  ...mswHandlers(mock, "https://example.com/api/"),
);
server.listen({ onUnhandledRequest: "error" });
const call = async (url, init) => {
  const response = await fetch(url, init);
  const isJson = response.headers.get("content-type")?.includes("json");
  return [response.status, isJson ? await response.json() : (await response.blob()).size];
};
const results = [
  await call("https://api.example.com/users/7"),
  await call("https://example.com/api/users/7"),
  await call("https://example.com/api/users/7", {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Grace" }),
  }),
  await call("https://api.example.com/users/x"),
  await call("https://api.example.com/nothing"),
  await call("https://api.example.com/picture"),
  await call("https://other.example.com/users/7").catch(() => "unhandled"),
];
server.close();
await mock.close();
process.stdout.write(`${JSON.stringify(results)}\n`);
