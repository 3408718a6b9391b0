import { toSent, type Call, type Sent } from "./call.ts";
import { toBaseCall, withField } from "./cases.ts";
import { findReply, hasHeader, isProtected, isStream, type Operation } from "./operation.ts";
import { isSuccess } from "./received.ts";
import type { Session } from "./session.ts";
import { tryCheck } from "./trial.ts";

/** Reads with the tag of the version that was just read. */
export const checkConditionalRead = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const isRead = operation.method === "get" && "304" in operation.replies;
  if (!isRead || !hasHeader(operation, "if-none-match")) return;
  const label = "a read with the current ETag";
  await tryCheck(session, operation, "conditional_read", label, async (trial) => {
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
  await tryCheck(session, operation, "status_code_conformance", "a file", async (trial) => {
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

/** Returns the request that reads what another operation has written at the same path. */
export const toReading = async (
  session: Session,
  { path }: Operation,
  target: string,
): Promise<Sent | undefined> => {
  const reading = session.api.operations.find((one) => one.path === path && one.method === "get");
  if (!reading) return undefined;
  const credentials = (await session.logIn(reading, "own")) ?? {};
  const [url = ""] = target.split("?", 1);
  const sent = toSent(toBaseCall(reading, {}, credentials));
  const [, query] = sent.url.split("?", 2);
  return { ...sent, url: query === undefined ? url : `${url}?${query}` };
};

/** Reads what was deleted. */
export const checkDeleted = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (operation.method !== "delete" || !operation.path.includes("{")) return;
  const label = "a read of what was deleted";
  await tryCheck(session, operation, "use_after_free", label, async (trial) => {
    await trial.prepare();
    if (!isSuccess(await trial.call(base))) return false;
    const reading = await toReading(session, operation, trial.sent.url);
    if (!reading) return false;
    const { status } = await trial.send(reading);
    if ([404, 410].includes(status) || status >= 500) return true;
    return trial.fail(
      `What was deleted is read with ${status}.`,
      "assert.ok([404, 410].includes(response.status));",
    );
  });
};

/** Asks for the head of what a read answers. */
export const checkHead = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (operation.method !== "get" || isStream(operation)) return;
  await tryCheck(session, operation, "head_like_get", "the head of a read", async (trial) => {
    const sent = session.write(base);
    const read = await trial.send(sent);
    const head = await trial.send({ ...sent, method: "HEAD" });
    // many servers outside do not serve it, and say so
    if (!session.api.isFramework && [404, 405, 501].includes(head.status)) return false;
    if (head.status !== read.status)
      return trial.fail(
        `HEAD is answered with ${head.status}, but GET with ${read.status}.`,
        "assert.equal(response.status, before.status);",
      );
    for (const name of ["content-type", "etag"]) {
      const [got, wanted] = [head.headers.get(name), read.headers.get(name)];
      if (got === wanted) continue;
      // another read may have another tag
      const again = await session.send(sent, operation);
      if (again?.headers.get(name) !== wanted) continue;
      return trial.fail(
        `The ${name} of HEAD is ${got ?? "missing"}, but that of GET is ${wanted ?? "missing"}.`,
        `assert.equal(response.headers.get("${name}"), before.headers.get("${name}"));`,
      );
    }
    return true;
  });
};

/** Follows the `Location` of what was made. */
export const checkLocation = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  if (operation.method === "get" || !findReply(operation, 201)) return;
  await tryCheck(session, operation, "location", "a read of Location", async (trial) => {
    await trial.prepare();
    const made = await trial.send(session.write(base));
    const location = made.headers.get("location");
    if (made.status !== 201 || location === null) return false;
    const url = session.toPath(location, trial.sent.url);
    const reading = session.coverage.listAt(url).find(({ method }) => method === "get");
    if (!reading) return false;
    const own = isProtected(reading) ? await session.logIn(reading, "own") : undefined;
    const credentials = own ?? base.credentials;
    const read = toSent(toBaseCall(reading, {}, credentials));
    const found = await trial.send({ ...read, url });
    if (!isSuccess(found))
      return trial.fail(
        `The Location of what was made is answered with ${found.status}.`,
        "assert.ok(response.ok);",
      );
    const [wanted, got] = [idOf(made.json), idOf(found.json)];
    if (wanted === undefined || got === undefined || wanted === got) return true;
    return trial.fail(`The Location of ${wanted} leads to ${got}.`);
  });
};

/** Returns the id of a body, or of the data in its envelope. */
const idOf = (json: unknown): string | number | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  if ("id" in json && (typeof json.id === "string" || typeof json.id === "number")) return json.id;
  return "data" in json ? idOf(json.data) : undefined;
};
