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
import { ContractError } from "../errors.ts";
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
 * @throws ContractError when an option is wrong; and what `testServer` and `generateOpenApi` throw. A login or a fixture
 * that fails is a failure of its operation.
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
        try {
          await verifyOperation(session, operation);
        } catch (error) {
          // the others can be verified all the same
          if (!(error instanceof ContractError)) throw error;
          session.giveUp(operation, error.message);
        }
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
    return failToAnswer(session, base, `No value is known for ${missing}`, fields);
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
  if (!hasSucceeded) await failToAnswer(session, base, "No call succeeded", fields);
};

/** Reports an operation that was never seen to work. */
const failToAnswer = async (
  session: Session,
  base: Call,
  cause: string,
  fields: Fields = {},
): Promise<void> => {
  const { operation } = base;
  if (findReason(session.options, operation, "positive_answer") !== undefined) return;
  const call = { call: base, kind: "neutral", label: "", check: "positive_answer" } as const;
  const attempt = await session.attempt(call);
  const status = attempt.received?.status;
  const { reason = "", fix } = findFix(session, base, fields, status);
  const message = `${cause}${reason}. The smallest call got ${status ?? "no reply"}. ${fix}, or leave the operation out with skip: { "${operation.key}": "a reason" }.`;
  session.report(
    operation,
    "the smallest call",
    attempt,
    toFinding("positive_answer", message, "assert.ok(response.ok);"),
  );
};

const findFix = (
  { options }: Session,
  { operation, credentials }: Call,
  fields: Fields,
  status: number | undefined,
): { readonly reason?: string; readonly fix: string } => {
  const { key } = operation;
  if (status === 429) return { fix: limitFix(options) };
  if (status === 401 && Object.keys(credentials).length > 0)
    return { fix: "Correct the login, whose credentials are refused" };
  const [scheme, ...others] = operation.security.flatMap((set) => set.map(({ name }) => name));
  if ((status === 401 || status === 403) && isProtected(operation) && scheme !== undefined) {
    const more = others.length > 0 ? `, or one of ${others.join(", ")}` : "";
    return { reason: ", because nobody is logged in", fix: `Add login: { ${scheme}: … }${more}` };
  }
  if (Object.keys(fields).length > 0) return { fix: `Correct the fixture of ${key}` };
  return { fix: `Add fixtures: { "${key}": () => ({ … }) } or examples to the schemas` };
};
