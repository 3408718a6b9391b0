import { expect, test } from "vitest";
import { compile, writeProgram } from "./compile.ts";

const program = `
import { defaultEndpointsFactory, Middleware } from "sallyport";

const auth = new Middleware({ handler: async () => ({ user: { id: 1 } }) });
const nothing = new Middleware<{ user: { id: number } }, Record<string, never>>({
  handler: async () => ({}),
});
export const endpoint = defaultEndpointsFactory
  .addMiddleware(auth)
  .addMiddleware(nothing)
  .addMiddleware({ handler: async (): Promise<Record<string, never>> => ({}) })
  .build({ handler: async ({ ctx }) => ({ id: ctx.user.id }) });
export const conditional = defaultEndpointsFactory
  .addMiddleware({
    handler: async ({ request }) => (request.xhr ? { tenant: request.url } : {}),
  })
  .addContext(async (_ctx, { request }) => ({ headers: request.headers as Record<string, string> }))
  .build({ handler: async ({ ctx }) => ({ tenant: ctx.tenant ?? "", host: ctx.headers["host"] }) });
`;

test.each([true, false])(
  "a middleware that returns `Record<string, never>` keeps the context, with exactOptionalPropertyTypes: %s",
  (exactOptionalPropertyTypes) => {
    const name = `empty-context-${exactOptionalPropertyTypes}`;
    const options = { exactOptionalPropertyTypes };
    expect(compile(writeProgram(name, program, undefined, options))).toEqual([]);
  },
);
