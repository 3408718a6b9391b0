import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createHttpError from "http-errors";
import { defaultEndpointsFactory, Middleware, type Routing } from "sallyport";
import { testServer } from "sallyport/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { verify, type VerifyOptions } from "../src/index.ts";

const text = z.object({ text: z.string().max(9) });
const output = text.extend({ id: z.string(), revision: z.int() });

/** An API whose tokens and ids are others each time it starts; may have one of two defects. */
const createApi = (defect?: "long" | "tag"): Pick<VerifyOptions, "routing" | "config"> => {
  const tokens = new Set<string>();
  const notes = new Map<string, z.output<typeof output>>();
  const find = (id: string) => {
    const note = notes.get(id);
    if (!note) throw createHttpError(404, "There is no such note");
    return note;
  };
  const member = defaultEndpointsFactory.addMiddleware(
    new Middleware({
      security: { type: "bearer" },
      handler: ({ request }) => {
        const [, token = ""] = request.get("authorization")?.split(" ") ?? [];
        if (!tokens.has(token)) throw createHttpError(401, "Sign in");
        return {};
      },
    }),
  );
  const errors = { 404: "There is no such note" };
  const routing = {
    "post /session": defaultEndpointsFactory.build({
      input: z.object({ name: z.string() }),
      output: z.object({ type: z.string(), token: z.string() }),
      handler: async () => {
        const token = randomUUID();
        tokens.add(token);
        return { type: "Bearer", token };
      },
    }),
    "post /notes": member.build({
      ...{ input: text, output },
      handler: async ({ input }) => {
        const note = { ...input, id: randomUUID(), revision: 1 };
        notes.set(note.id, note);
        return note;
      },
    }),
    "put /notes/:id": member.build({
      ...{ input: text.extend({ id: z.string() }), output, errors, ifMatch: "required" },
      version: ({ output: { revision } }) => String(defect === "tag" ? 1 : revision),
      current: ({ input }) => String(defect === "tag" ? 1 : find(input.id).revision),
      handler: async ({ input }) => {
        if (defect === "long" && input.text.length === 9) throw new Error("Too long");
        const note = find(input.id);
        return Object.assign(note, { text: input.text, revision: note.revision + 1 });
      },
    }),
  } satisfies Routing;
  return { routing, config: { cors: false } };
};

const options = {
  seed: 1,
  runs: 0,
  operations: ["put /notes/:id"],
  login: {
    bearer: async ({ send }) => {
      const { data } = (await (await send("POST /session", { name: "ada" })).json()) as {
        readonly data: { readonly token: string };
      };
      return data.token;
    },
  },
  fixtures: {
    "/notes/:id": async ({ send }) => {
      const { data } = (await (await send("POST /notes", { text: "Tea" })).json()) as {
        readonly data: { readonly id: string };
      };
      return { id: data.id };
    },
  },
} satisfies Partial<VerifyOptions>;

/** Runs the code of a test against an API that has just started. */
const runTest = async (code: string, { routing, config = {} }: ReturnType<typeof createApi>) => {
  const servers: { readonly close: () => Promise<void> }[] = [];
  const start = async () => {
    const server = await testServer(config, routing);
    servers.push(server);
    return server;
  };
  let body: (() => Promise<void>) | undefined;
  const define = (_name: string, given: () => Promise<void>): void => void (body = given);
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- this is what a user does with it
  new Function("test", "assert", "testServer", "config", "routing", code)(
    ...[define, assert, start, config, routing],
  );
  try {
    await body?.();
    return "passed";
  } catch (error) {
    return (error as Error).name;
  } finally {
    for (const server of servers) await server.close();
  }
};

test.each([
  ["long", "not_a_server_error"],
  ["tag", "lost_update"],
] as const)(
  "a failure with the defect %j shows all of its requests, as a test that fails on a fresh server",
  async (defect, check) => {
    const { failures, text: report } = await verify({ ...createApi(defect), ...options });
    const failure = failures.find((one) => one.check === check);
    if (!failure) throw new Error(report);
    const targets = failure.steps.map(
      ({ request: { method, url } }) => `${method} ${url.split("/")[1]}`,
    );
    expect(targets.slice(0, 3)).toEqual(["POST session", "POST notes", "PUT notes"]);
    expect(failure.curl.split("\n").filter((line) => line.startsWith("curl"))).toHaveLength(
      targets.length,
    );
    expect(failure.test).toContain('const token = reply1["data"]["token"];');
    expect(failure.test).toContain("`Bearer ${token}`");
    expect(failure.test).toContain("fetch(`/notes/${id}`, {");
    expect(await runTest(failure.test, createApi(defect))).toBe("AssertionError");
    expect(await runTest(failure.test, createApi())).toBe("passed");
  },
);

test("one operation is verified alone", async () => {
  const { ok, text: report, table, checks } = await verify({ ...createApi(), ...options });
  expect(ok ? "ok" : report).toBe("ok");
  expect(table.map(({ operation }) => operation)).toEqual(["put /notes/:id"]);
  expect(new Set(checks.map(({ operation }) => operation))).toEqual(new Set(["put /notes/:id"]));
  const documented = await verify({ ...createApi(), ...options, operations: ["PUT /notes/{id}"] });
  expect(documented.table).toHaveLength(1);
});

test("an operation that is unknown is named, with those that are near", async () => {
  const promise = verify({ ...createApi(), ...options, operations: ["PUT /note/:id"] });
  await expect(promise).rejects.toThrow(
    "operations: there is no PUT /note/:id. Did you mean put /notes/:id?",
  );
});
