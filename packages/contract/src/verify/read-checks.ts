import { toSent, type Call } from "./call.ts";
import { toBaseCall, withField } from "./cases.ts";
import { hasHeader } from "./operation.ts";
import { isSuccess } from "./received.ts";
import type { Session } from "./session.ts";

/** Reads with the tag of the version that was just read. */
export const checkConditionalRead = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const isRead = operation.method === "get" && "304" in operation.replies;
  if (!isRead || !hasHeader(operation, "if-none-match")) return;
  const label = "a read with the current ETag";
  await session.check(operation, "conditional_read", label, async (trial) => {
    const first = await trial.call(base);
    const tag = first.headers.get("etag");
    if (!isSuccess(first) || !tag) return false;
    const { status } = await trial.call(withField(base, "header", "if-none-match", tag));
    if (status === 304) return true;
    return trial.fail(
      `A read with the ETag that was just sent is answered with ${status}.`,
      "assert.equal(response.status, 304);",
    );
  });
};

/** Asks for parts of a file, and for one that has not changed. */
export const checkParts = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (!("206" in operation.replies)) return;
  await session.check(operation, "status_code_conformance", "a file", async (trial) => {
    const first = await trial.call(base);
    const tag = first.headers.get("etag") ?? "*";
    const asked: readonly Readonly<Record<string, string>>[] = [
      ...[{ range: "bytes=0-0" }, { range: "bytes=999999999999-" }],
      ...[{ "if-none-match": tag }, { "if-match": '"a-stale-version"' }],
    ];
    for (const fields of asked)
      await trial.call(
        { ...base, header: { ...base.header, ...fields } },
        `a request with ${Object.keys(fields).join()}`,
      );
    return false;
  });
};

/** Reads what was deleted. */
export const checkDeleted = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const reading = session.api.operations.find(
    ({ path, method }) => path === operation.path && method === "get",
  );
  if (operation.method !== "delete" || !reading || !operation.path.includes("{")) return;
  const label = "a read of what was deleted";
  await session.check(operation, "use_after_free", label, async (trial) => {
    await trial.prepare();
    if (!isSuccess(await trial.call(base))) return false;
    const [url = ""] = trial.sent.url.split("?", 1);
    const credentials = (await session.logIn(reading, "own")) ?? {};
    const read = toBaseCall(reading, {}, credentials, session.api.schemas);
    const { status } = await trial.send({ ...toSent(read), url });
    if ([404, 410].includes(status) || status >= 500) return true;
    return trial.fail(
      `What was deleted is read with ${status}.`,
      "assert.ok([404, 410].includes(response.status));",
    );
  });
};
