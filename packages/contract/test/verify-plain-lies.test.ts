import { expect, test } from "vitest";
import { verify, type VerifyDocumentOptions } from "../src/index.ts";
import { createTortureApi } from "./verify-api.ts";
import { toMiddleware, type Lie } from "./verify-lies.ts";
import { plainDocument, startPlain } from "./verify-plain-server.ts";
import { replyLies } from "./verify-reply-lies.ts";
import { requestLies } from "./verify-request-lies.ts";
import { toStateLies } from "./verify-state-lies.ts";

/** What HTTP lets a server do, or what only this framework promises. */
const noLies: ReadonlySet<string> = new Set([
  ...["403 for 401", "422 for 400", "404 for 405", "Allow names too much"],
  "HEAD is not served",
  ...["a repeated request is not marked", "another request with a used key is accepted"],
]);

const lies = [...replyLies, ...requestLies, ...toStateLies()].filter(
  ({ name }) => !noLies.has(name),
);

/** All lies take minutes, so a part of them stands for the others; `VERIFY_SEEDS=5` tells all, with five seeds. */
const count = Number(process.env["VERIFY_SEEDS"] ?? 0);
const seeds = Array.from({ length: Math.max(count, 1) }, (_, at) => at + 1);
const told = lies.filter((_, at) => count > 0 || at % 4 === 0);

const verifyPlain = async (seed: number, lie?: Lie) => {
  const { url, close } = await startPlain(lie && (toMiddleware(lie) as never));
  const { login } = createTortureApi();
  const options: VerifyDocumentOptions = {
    ...{ document: plainDocument, url, seed, login },
    fixtures: {
      "/boxes/{id}": () => ({ id: 1 }),
      "/notes/{id}": async ({ send }) => {
        const key = { "idempotency-key": String(Math.random()) };
        const reply = (await (await send("POST /notes", { text: "Tea" }, key)).json()) as {
          readonly data: { readonly id: string };
        };
        return { id: reply.data.id };
      },
    },
    ...(lie && { operations: [toKey(lie)] }),
  };
  try {
    return await verify(options);
  } finally {
    await close();
  }
};

const toKey = ({ on }: Lie): string => on.replaceAll(/:(\w+)/g, "{$1}");

test.each(seeds.flatMap((one) => [one, one + 100]))(
  "nothing is found in an honest server with seed %i",
  async (seed) => {
    const { ok, text } = await verifyPlain(seed);
    expect(ok ? "ok" : text).toBe("ok");
  },
);

test.each(seeds.flatMap((seed) => told.map((lie) => ({ seed, lie, ...lie }))))(
  "$on: $name, with seed $seed",
  async ({ seed, lie }) => {
    const { failures, text } = await verifyPlain(seed, lie);
    const isFound = failures.some(
      ({ operation, check }) => operation === toKey(lie) && check === lie.check,
    );
    // the report shows what was found instead
    expect(isFound ? "found" : text).toBe("found");
  },
);
