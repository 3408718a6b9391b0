import { defaultEndpointsFactory, Middleware } from "sallyport";
import { z } from "zod";
import { toCaller } from "./caller.ts";

/** Lets only known callers pass, and tells endpoints who they are. */
const requireCaller = new Middleware({
  security: { type: "bearer" },
  errors: { unknownCaller: { status: 401, description: "Send a token" } },
  handler: async ({ response, errors }) => {
    const caller = toCaller(response);
    if (!caller) throw errors.unknownCaller();
    return { caller };
  },
});

const tasks = [
  { id: 1, title: "Write the first endpoint", owner: "ada" },
  { id: 2, title: "Review the first endpoint", owner: "grace" },
];

export const readTask = defaultEndpointsFactory.addMiddleware(requireCaller).build({
  shortDescription: "Reads one of the caller's tasks",
  errors: { notFound: { status: 404, description: "The caller has no such task" } },
  input: z.object({ id: z.coerce.number<string | number>().int() }),
  output: z.object({ id: z.number(), title: z.string() }),
  handler: async ({ input, ctx, errors }) => {
    const task = tasks.find(({ id, owner }) => id === input.id && owner === ctx.caller.name);
    if (!task) throw errors.notFound();
    return task;
  },
});
