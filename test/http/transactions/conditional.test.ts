import { once } from "node:events";
import { connect } from "node:net";
import { Pool } from "pg";
import { defaultEndpointsFactory as factory } from "sallyport";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { start } from "../harness.ts";

const address = { host: "127.0.0.1", port: 5432, user: "postgres", database: "postgres" };
const writers = 8;

/** Checks whether a PostgreSQL server listens. */
const hasPostgres = async (): Promise<boolean> => {
  const socket = connect(address.port, address.host).on("error", () => undefined);
  const isUp = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isUp;
};

/** Opens a pool with a table of one note, in a schema that is deleted at the end of the test. */
const openPool = async (): Promise<Pool> => {
  const schema = `sallyport_conditions_${process.pid}_${Date.now()}`;
  const pool = new Pool({ ...address, max: writers, options: `-c search_path=${schema}` });
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query("CREATE TABLE notes (text text, revision int)");
  await pool.query("INSERT INTO notes VALUES ('a', 1)");
  return pool;
};

test.skipIf(!(await hasPostgres()))(
  "Of concurrent writers that expect the same version, one writes, because `current` locks the row (PostgreSQL at 127.0.0.1:5432)",
  async () => {
    const pool = await openPool();
    let waiting = 0;
    let openGate = (): void => undefined;
    const allBegun = new Promise<void>((resolve) => (openGate = resolve));
    const inTransaction = factory.addMiddleware({
      afterValidation: true,
      around: async (_args, next) => {
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          if (++waiting === writers) openGate();
          await allBegun;
          const passed = await next({ client });
          await client.query("COMMIT");
          return passed;
        } catch (error) {
          await client.query("ROLLBACK");
          throw error;
        } finally {
          client.release();
        }
      },
    });
    const write = inTransaction.build({
      method: "put",
      input: z.object({ text: z.string() }),
      output: z.object({ revision: z.number() }),
      version: ({ output: { revision } }) => String(revision),
      ifMatch: "required",
      current: async ({ ctx: { client } }) => {
        const { rows } = await client.query<{ revision: number }>(
          "SELECT revision FROM notes FOR UPDATE",
        );
        return rows[0] && String(rows[0].revision);
      },
      handler: async ({ input: { text }, ctx: { client } }) => {
        const { rows } = await client.query<{ revision: number }>(
          "UPDATE notes SET text = $1, revision = revision + 1 RETURNING revision",
          [text],
        );
        return { revision: Number(rows[0]?.revision) };
      },
    });
    const server = await start({ write });
    const headers = { "If-Match": '"1"' };
    const answers = await Promise.all(
      Array.from({ length: writers }, (_, at) =>
        server.send("/write", { method: "PUT", headers, body: { text: String(at) } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(writers - 1);
    const { rows } = await pool.query("SELECT text, revision FROM notes");
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(rows).toEqual([{ text: String(winner), revision: 2 }]);
    expect(answers[winner]?.headers.etag).toBe('"2"');
  },
);

test.each(["current", "version"])(
  "A transaction is not rolled back if another middleware responds while `%s` runs",
  async (slow) => {
    let outcome: Promise<unknown> = Promise.resolve();
    const build = factory
      .use((_request, response, next) => {
        response.locals["answer"] = () => response.status(503).send("busy");
        next();
      })
      .addMiddleware({
        around: (_args, next) => {
          const passing = next();
          outcome = passing;
          return passing;
        },
      })
      .addMiddleware({
        handler: ({ response }) => ({ answer: response.locals["answer"] as () => void }),
      });
    const respond = (name: string, answer: () => void): string => {
      if (name === slow) answer();
      return "1";
    };
    const server = await start({
      note: build.build({
        method: "put",
        ifMatch: "optional",
        current: ({ ctx }) => respond("current", ctx.answer),
        version: ({ ctx }) => respond("version", ctx.answer),
        output: z.object({}),
        handler: () => ({}),
      }),
    });
    const answer = await server.send("/note", { method: "PUT" });
    expect([answer.status, answer.text]).toEqual([503, "busy"]);
    await expect(outcome).resolves.toBeDefined();
    expect(JSON.stringify(server.lines)).not.toContain("error");
  },
);
