import { setTimeout as sleep } from "node:timers/promises";
import {
  defaultEndpointsFactory as factory,
  EventStreamFactory,
  ez,
  type Routing,
} from "sallyport";
import { z } from "zod";

const user = z.object({ id: z.string(), tag: z.array(z.string()) });
const pages = ez.paginated({ style: "offset", itemSchema: user });

const tag = z.array(z.string()).optional();
const created = z.object({ name: z.string(), bornOn: ez.dateOut() });
const sent = z.object({ name: z.string(), type: z.string(), text: z.string() });

export const routing = {
  users: {
    get: factory.build({
      ...pages,
      handler: async ({ input: { limit, offset } }) => ({
        items: ["1", "2", "3", "4", "5"]
          .slice(offset, offset + limit)
          .map((id) => ({ id, tag: [] })),
        ...{ total: 5, limit, offset },
      }),
    }),
    post: factory.build({
      method: "post",
      input: z.object({ name: z.string().min(1), bornOn: ez.dateIn() }),
      output: created,
      handler: async ({ input }) => input,
    }),
    ":id": {
      get: factory.build({
        input: z.object({ id: z.string(), tag }),
        output: user,
        handler: async ({ input: { id, tag = [] } }) => ({ id, tag }),
      }),
      picture: factory.build({
        method: "post",
        input: z.object({ id: z.string(), picture: ez.upload() }),
        output: sent,
        handler: async ({ input: { picture } }) => ({
          name: picture.name,
          type: picture.mimetype,
          text: picture.data.toString(),
        }),
      }),
    },
  },
  moved: factory.build({
    output: user,
    handler: async ({ response }) => {
      response.redirect("/users/7");
      return { id: "", tag: [] };
    },
  }),
  away: factory.build({
    method: "post",
    input: z.object({ name: z.string() }),
    handler: async ({ response }) => {
      response.redirect(307, "http://localhost:1/");
      return {};
    },
  }),
  sleep: factory.build({ handler: ({ signal }) => sleep(5000, {}, { signal }) }),
  count: new EventStreamFactory({ number: z.number() }).build({
    handler: async ({ request, ctx: { emit } }) => {
      const last = Number(request.get("last-event-id") ?? 0);
      for (const number of [1, 2, 3])
        await emit("number", last + number, { id: String(last + number) });
    },
  }),
} satisfies Routing;
