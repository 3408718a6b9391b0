import { checkAccess } from "./access-checks.ts";
import type { Call, Fields } from "./call.ts";
import { findMissing, toBaseCall } from "./cases.ts";
import { checks, toFinding } from "./check.ts";
import { Coverage } from "./coverage.ts";
import { exploreDeclared, exploreGenerated } from "./explore.ts";
import { isProtected, readApi, readServer, type Operation } from "./operation.ts";
import {
  checkVerifyOptions,
  findReason,
  selectOperations,
  type VerifyDocumentOptions,
  type VerifyOptions,
} from "./options.ts";
import { findTarget, startTarget } from "./target.ts";
import { checkBodies, checkMethods } from "./protocol-checks.ts";
import { toVerifyText } from "./report.ts";
import { limitFix, Session } from "./session.ts";
import type { VerifyResult } from "./verify-result.ts";
import { checkPages } from "./page-checks.ts";
import {
  checkConditionalRead,
  checkDeleted,
  checkHead,
  checkLocation,
  checkParts,
} from "./read-checks.ts";
import {
  checkConcurrentReplay,
  checkKeyOwner,
  checkLostUpdate,
  checkReplay,
  checkStaleWrite,
} from "./write-checks.ts";

/**
 * Calls each operation of an API, and checks that it keeps to its OpenAPI document: within this process by `routing` and
 * `config`, or at a `url` by its `document`.
 *
 * @throws ContractError when an option is wrong, or a fixture or login fails; and what `testServer` and
 * `generateOpenApi` throw.
 * @example
 * const { ok, text } = await verify({ routing, config });
 * assert.ok(ok, text);
 */
export const verify = async (
  options: VerifyOptions | VerifyDocumentOptions,
): Promise<VerifyResult> => {
  const { skip = {} } = options;
  const seed = options.seed ?? Math.trunc(Math.random() * 0x7f_ff_ff_ff);
  const isDocument = "document" in options;
  const api = isDocument
    ? readServer(options.document)
    : readApi(options.routing, options.config ?? {}, options.routes);
  checkVerifyOptions(options, api.operations, checks);
  const operations = selectOperations(options, api.operations);
  const server = isDocument ? await findTarget(options) : await startTarget(options);
  const session = new Session(api, options, seed, server, new Coverage(api.operations));
  try {
    for (const operation of operations)
      if (findReason(options, operation) === undefined) {
        await verifyOperation(session, operation);
        session.noteLimits(operation);
      }
  } finally {
    await server.close();
  }
  const { failures, notes, calls, coverage, checked } = session;
  const table = coverage.table.filter(({ operation }) =>
    operations.some(({ key }) => key === operation),
  );
  const result = {
    ...{ ok: failures.length === 0, failures, notes, seed, calls, table },
    checks: [...checked].flatMap(([operation, counts]) =>
      [...counts].map(([check, count]) => ({
        ...{ operation, check, count },
        failures: failures.filter((one) => one.operation === operation && one.check === check)
          .length,
      })),
    ),
    skipped: Object.entries(skip).map(([name, reason]) => ({ name, reason })),
  };
  return { ...result, text: toVerifyText(result) };
};

const verifyOperation = async (session: Session, operation: Operation): Promise<void> => {
  await session.options.reset?.();
  const credentials = await session.logIn(operation, "own");
  const fields = await session.prepare(operation);
  const base = toBaseCall(operation, fields, credentials ?? {});
  const missing = findMissing(base);
  session.count(operation, "positive_answer");
  if (missing !== undefined)
    return failToAnswer(session, base, `No value is known for ${missing}.`, { fields });
  const hasSucceeded = await exploreDeclared(session, base, fields);
  await exploreGenerated(session, base, fields);
  await checkBodies(session, base);
  await checkMethods(session, base);
  await checkAccess(session, base, fields, hasSucceeded);
  await checkReplay(session, base);
  await checkConcurrentReplay(session, base);
  await checkKeyOwner(session, base);
  await checkStaleWrite(session, base);
  await checkLostUpdate(session, base, fields);
  await checkConditionalRead(session, base);
  await checkParts(session, base);
  await checkHead(session, base);
  await checkLocation(session, base);
  await checkPages(session, base);
  await checkDeleted(session, base);
  if (!hasSucceeded) {
    const isAnonymous = isProtected(operation) && !credentials;
    const schemes = operation.security.flatMap((set) => set.map(({ name }) => name));
    const cause = "No call succeeded";
    if (isAnonymous)
      await failToAnswer(session, base, `${cause}, because nobody is logged in.`, {
        fix: `Add login: { ${schemes[0]}: … }${schemes.length > 1 ? `, or one of ${schemes.slice(1).join(", ")}` : ""}`,
      });
    else await failToAnswer(session, base, `${cause}.`, { fields });
  }
};

/** Reports an operation that was never seen to work. */
const failToAnswer = async (
  session: Session,
  base: Call,
  cause: string,
  { fields = {}, fix }: { readonly fields?: Fields; readonly fix?: string },
): Promise<void> => {
  const { operation } = base;
  if (findReason(session.options, operation, "positive_answer") !== undefined) return;
  const call = { call: base, kind: "neutral", label: "", check: "positive_answer" } as const;
  const attempt = await session.attempt(call);
  const hasFixture = Object.keys(fields).length > 0;
  const isLimited = attempt.received?.status === 429;
  const otherFix = isLimited
    ? limitFix(session.options)
    : hasFixture
      ? `Correct the fixture of ${operation.key}`
      : `Add fixtures: { "${operation.key}": () => ({ … }) } or examples to the schemas`;
  const message = `${cause} The smallest call got ${attempt.received?.status ?? "no reply"}. ${fix ?? otherFix}, or leave the operation out with skip: { "${operation.key}": "a reason" }.`;
  session.report(
    operation,
    "the smallest call",
    attempt,
    toFinding("positive_answer", message, "assert.ok(response.ok);"),
  );
};
