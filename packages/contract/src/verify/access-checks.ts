import { isDeepStrictEqual } from "node:util";
import type { Call, Fields } from "./call.ts";
import type { CheckName } from "./check.ts";
import { scopesOf, toGarbage, type Credentials } from "./credentials.ts";
import { isProtected } from "./operation.ts";
import type { Session } from "./session.ts";
import { tryCheck } from "./trial.ts";

/** Calls an operation as others than those who may. */
export const checkAccess = async (
  session: Session,
  base: Call,
  fields: Fields,
  hasSucceeded: boolean,
): Promise<void> => {
  const { operation } = base;
  if (!isProtected(operation)) return;
  const garbage = toGarbage(operation);
  await refuse(session, base, "ignored_auth", {}, "without credentials");
  await refuse(session, base, "ignored_auth", garbage, "with credentials that nobody has");
  await checkOwner(session, base, fields, hasSucceeded);
  if (scopesOf(operation).length > 0) await checkScopes(session, base);
};

const checkOwner = async (
  session: Session,
  base: Call,
  fields: Fields,
  hasSucceeded: boolean,
): Promise<void> => {
  const { operation } = base;
  const canHide = "403" in operation.replies || "404" in operation.replies;
  const other = canHide ? await session.logIn(operation, "other") : undefined;
  if (!other || !hasSucceeded) return;
  const label = "with the login of another";
  // what a fixture has created belongs to the one who is logged in
  if (Object.keys(base.path).some((name) => Object.hasOwn(fields, name)))
    return refuse(session, base, "ignored_owner", other, label);
  const call = { ...base, credentials: other };
  await tryCheck(session, operation, "ignored_owner", label, async (trial) => {
    await trial.call(call);
    return false;
  });
};

const checkScopes = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const lacking = await session.logIn(operation, "lacking");
  if (!lacking || isDeepStrictEqual(lacking, base.credentials))
    session.notes.push(
      `${operation.key}: ignored_scopes was not checked, because \`login\` returns the same without scopes. Let it return a login that lacks \`scopes\`.`,
    );
  else await refuse(session, base, "ignored_scopes", lacking, "with a login that lacks the scopes");
};

/** Expects that a caller is refused. */
const refuse = (
  session: Session,
  base: Call,
  check: CheckName,
  credentials: Credentials,
  label: string,
): Promise<void> =>
  tryCheck(session, base.operation, check, label, async (trial) => {
    const { status } = await trial.call({ ...base, credentials });
    // a missing key may be invalid input; for others, there is nothing that a condition could match
    if ([400, 401, 403, 404, 412].includes(status) || status >= 500) return true;
    return trial.fail(
      `A call ${label} is answered with ${status}. If that is right, add skip: { "${base.operation.key} ${check}": "a reason" }.`,
      "assert.ok([400, 401, 403, 404, 412].includes(response.status));",
    );
  });
