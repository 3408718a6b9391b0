import { expect, test } from "vitest";
import { verify, type VerifyOptions } from "../../packages/contract/src/index.ts";
import { createDesk, deskKey, ids } from "../http/support-desk.ts";
import { torture, usersApi } from "../openapi/conformance/apis.ts";

const seed = Number(process.env["SALLYPORT_SEED"] ?? Date.now() % 1_000_000);

const findTicket = () => ({ id: String(ids[0]) });
const desk: VerifyOptions = {
  ...createDesk(),
  login: { xDeskKeyHeader: () => deskKey },
  fixtures: { "/v1/tickets/:id": findTicket, "/v2/tickets/:id": findTicket },
};

test.each<[string, VerifyOptions, number]>([
  ["torture", torture, 150],
  ["users", usersApi, 400],
  ["support desk", desk, 400],
])("the API %s keeps to its document in generated calls", async (_name, options, runs) => {
  const { ok, text } = await verify({ ...options, seed, runs });
  expect(ok ? "ok" : text, `SALLYPORT_SEED=${seed}`).toBe("ok");
});
