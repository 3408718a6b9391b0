import { once } from "node:events";
import { Readable } from "node:stream";
import createHttpError from "http-errors";
import { defaultEndpointsFactory as factory, EventStreamFactory, ez } from "sallyport";
import { testMiddleware } from "sallyport/testing";
import { transaction, type AfterCommit } from "sallyport/transaction";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, successEnvelope } from "../harness.ts";

/** Creates a database that records what becomes of its transactions, and of the jobs of a handler. */
const createDatabase = ({ canCommit = true } = {}) => {
  const events: string[] = [];
  let count = 0;
  const transact = async <Result>(work: (tx: string) => Promise<Result>): Promise<Result> => {
    const tx = `t${++count}`;
    try {
      const result = await work(tx);
      if (!canCommit) throw new Error("no commit");
      events.push(`commit ${tx}`);
      return result;
    } catch (error) {
      events.push(`roll back ${tx}`);
      throw error;
    }
  };
  const record = (afterCommit: AfterCommit, job = "job"): void =>
    afterCommit(() => events.push(job));
  return { events, transact, record };
};

describe("transaction", () => {
  test("gives the transaction under its name, and runs the jobs in turn before the response is sent", async () => {
    const { events, transact } = createDatabase();
    const endpoint = factory
      .addMiddleware(transaction((work) => transact(work), { name: "db" }))
      .build({
        handler: ({ ctx: { db, afterCommit }, response }) => {
          afterCommit(async () => {
            await new Promise(setImmediate);
            events.push(`slow, sent: ${response.headersSent}`);
            afterCommit(() => events.push("added by a job"));
          });
          afterCommit(() => events.push("quick"));
          return { db };
        },
      });
    const answer = await (await start({ x: endpoint })).send("/x");
    expect(answer.json()).toEqual(successEnvelope({ db: "t1" }));
    expect(events).toEqual(["commit t1", "slow, sent: false", "quick", "added by a job"]);
  });

  test("logs the error of a job, whose reply is a success, and runs the others", async () => {
    const { events, transact, record } = createDatabase();
    const error = new Error("no letter");
    const endpoint = factory.addMiddleware(transaction((work) => transact(work))).build({
      handler: ({ ctx: { afterCommit } }) => {
        afterCommit(() => Promise.reject(error));
        record(afterCommit);
        return {};
      },
    });
    const server = await start({ x: endpoint });
    expect((await server.send("/x")).status).toBe(200);
    expect(events).toEqual(["commit t1", "job"]);
    expect(server.linesOf("error")).toEqual([
      { severity: "error", message: "A job after the commit failed", meta: { error } },
    ]);
  });

  test("drops the jobs if the function hides the error of its work", async () => {
    const { events, record } = createDatabase();
    const hiding = transaction(async (work) => {
      try {
        return await work("t");
      } catch {
        return undefined as never;
      }
    });
    const endpoint = factory.addMiddleware(hiding).build({
      handler: ({ ctx: { afterCommit } }) => {
        record(afterCommit);
        throw createHttpError(409, "taken");
      },
    });
    const answer = await (await start({ x: endpoint })).send("/x");
    expect(answer.json()).toEqual(errorEnvelope("taken"));
    expect(events).toEqual([]);
  });

  test("drops the jobs when the commit fails, and when the time limit expires", async () => {
    const failing = createDatabase({ canCommit: false });
    const slow = createDatabase();
    const failed = factory.addMiddleware(transaction((work) => failing.transact(work))).build({
      handler: ({ ctx: { afterCommit } }) => {
        failing.record(afterCommit);
        return {};
      },
    });
    const expired = factory.addMiddleware(transaction((work) => slow.transact(work))).build({
      timeout: 10,
      handler: async ({ ctx: { afterCommit }, signal }) => {
        slow.record(afterCommit);
        await once(signal, "abort");
        return {};
      },
    });
    const server = await start({ failed, expired });
    expect((await server.send("/failed")).status).toBe(500);
    expect((await server.send("/expired")).status).toBe(503);
    await expect.poll(() => slow.events).toEqual(["roll back t1"]);
    await server.close();
    expect([failing.events, slow.events]).toEqual([["roll back t1"], ["roll back t1"]]);
  });

  test("within another, lets the jobs of both wait for the outer commit", async () => {
    const { events, transact, record } = createDatabase();
    const outer = transaction((work) => transact(work), { name: "outer" });
    const inner = transaction(
      (work, { ctx }: { readonly ctx: { readonly outer: string } }) =>
        transact((tx) => work(`${ctx.outer}/${tx}`)),
      { name: "inner" },
    );
    const both = factory
      .addMiddleware(outer)
      .addMiddleware({ handler: ({ ctx }) => record(ctx.afterCommit, "outer job") })
      .addMiddleware(inner);
    const input = z.object({ fails: z.stringbool() });
    const endpoint = both.build({
      input,
      handler: ({ ctx, input: { fails } }) => {
        record(ctx.afterCommit, "inner job");
        if (fails) throw createHttpError(409, "taken");
        return { inner: ctx.inner };
      },
    });
    const server = await start({ x: endpoint });
    expect((await server.send("/x?fails=no")).json()).toEqual(successEnvelope({ inner: "t1/t2" }));
    expect(events.splice(0)).toEqual(["commit t2", "commit t1", "outer job", "inner job"]);
    expect((await server.send("/x?fails=yes")).json()).toEqual(errorEnvelope("taken"));
    expect(events).toEqual(["roll back t4", "roll back t3"]);
  });

  test("begins only when the input is valid", async () => {
    const { events, transact } = createDatabase();
    const endpoint = factory
      .addMiddleware(transaction((work) => transact(work)))
      .build({ input: z.object({ id: z.string() }), handler: () => ({}) });
    expect((await (await start({ x: endpoint })).send("/x")).status).toBe(400);
    expect(events).toEqual([]);
  });

  test("commits before a stream or a file is sent", async () => {
    const { events, transact, record } = createDatabase();
    const endpoint = factory.addMiddleware(transaction((work) => transact(work))).build({
      output: ez.stream("text/plain"),
      handler: ({ ctx: { afterCommit } }) => {
        record(afterCommit);
        const content = function* () {
          events.push("read");
          yield "text";
        };
        return Readable.from(content());
      },
    });
    const answer = await (await start({ x: endpoint })).send("/x");
    expect(answer.text).toBe("text");
    expect(events).toEqual(["commit t1", "job", "read"]);
  });

  test("spans an event stream, and runs its jobs when the stream has ended", async () => {
    const { events, transact, record } = createDatabase();
    const endpoint = new EventStreamFactory({ time: z.number() })
      .addMiddleware(transaction((work) => transact(work)))
      .build({
        handler: async ({ ctx: { afterCommit, emit } }) => {
          record(afterCommit);
          await emit("time", 1);
          events.push("emitted");
        },
      });
    const answer = await (await start({ x: endpoint })).send("/x");
    expect(answer.text).toContain("event: time");
    await expect.poll(() => events).toEqual(["emitted", "commit t1", "job"]);
  });

  test("refuses jobs that come after its end", async () => {
    const { transact, events } = createDatabase();
    const given: AfterCommit[] = [];
    const endpoint = factory.addMiddleware(transaction((work) => transact(work))).build({
      handler: ({ ctx: { afterCommit } }) => {
        given.push(afterCommit);
        return {};
      },
    });
    expect((await (await start({ x: endpoint })).send("/x")).status).toBe(200);
    expect(() => given[0]?.(() => events.push("late"))).toThrow(
      expect.objectContaining({ code: "SLP_AFTER_COMMIT_LATE" }),
    );
    expect(events).toEqual(["commit t1"]);
  });

  test("is tested alone, as other middlewares are", async () => {
    const { events, transact } = createDatabase();
    const { output } = await testMiddleware({ middleware: transaction((work) => transact(work)) });
    expect(output).toEqual({ tx: "t1", afterCommit: expect.any(Function) as unknown });
    expect(events).toEqual(["commit t1"]);
  });

  test.each([
    [{ name: "" }, 'transaction: `name` must be a name other than `afterCommit`; got "".'],
    [{ name: "afterCommit" }, "transaction: `name`"],
    [{ names: "db" }, "transaction: there is no option `names`"],
  ])("rejects the options %o", (options, message) => {
    expect(() => transaction((work) => work(1), options as never)).toThrow(message);
  });

  test("rejects what is not a function", () => {
    expect(() => transaction({} as never)).toThrow("transaction: `run`");
  });
});
