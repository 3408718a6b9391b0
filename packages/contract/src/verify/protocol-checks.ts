import { ServeStatic } from "sallyport";
import { isForm, isJsonType } from "./body-type.ts";
import { toSent, type Call } from "./call.ts";
import { isStream } from "./operation.ts";
import type { Session } from "./session.ts";
import { tryCheck } from "./trial.ts";

/** Sends bodies that no operation takes. */
export const checkBodies = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const types = Object.keys(operation.body ?? {});
  const [type] = types;
  if (type === undefined) return;
  const label = "a body of an unknown type";
  // bodies that are not parsed may have any type
  const isParsed = types.every((one) => isJsonType(one) || isForm(one));
  if (isParsed)
    await tryCheck(session, operation, "unsupported_media_type", label, async (trial) => {
      const body = { type: "application/x-unknown", value: "?" };
      const { status } = await trial.call({ ...base, body });
      if (status < 200 || status >= 400) return true;
      return trial.fail(
        `A body of a type that is not declared is accepted with ${status}.`,
        "assert.equal(response.status, 415);",
      );
    });
  // only within this process can a request announce more than it sends
  if (isStream(operation) || !("413" in operation.replies) || !session.api.isFramework) return;
  const header = { ...base.header, "content-length": "999999999999" };
  const body = base.body ?? { type, value: {} };
  const large = "a body that is too large";
  await tryCheck(session, operation, "status_code_conformance", large, async (trial) => {
    await trial.call({ ...base, header, body });
    return false;
  });
};

const methods = ["get", "post", "put", "patch", "delete"] as const;

/** Calls a path with the methods that it does not serve. */
export const checkMethods = async (session: Session, base: Call): Promise<void> => {
  const { operation } = base;
  const { routing = {}, config = {} } = session.options;
  const { url } = toSent(base);
  const [pathname = ""] = url.split("?", 1);
  const served = session.coverage.listAt(pathname).map(({ method }) => method);
  // the first operation of a path stands for it
  const first = session.api.operations.find(({ route }) => route === operation.route);
  if (first !== operation || config.wrongMethodBehavior === 404) return;
  const files = listFolders(routing);
  for (const method of methods) {
    const isFile = files.some((path) => `${pathname}/`.startsWith(path === "/" ? "/" : `${path}/`));
    if (served.includes(method) || (method === "get" && isFile)) continue;
    await checkMethod(session, { ...base, method, body: undefined }, served, isFile);
  }
};

const checkMethod = (
  session: Session,
  call: Call,
  served: readonly string[],
  hasFiles: boolean,
): Promise<void> => {
  const { operation, method = "" } = call;
  const label = `the method ${method.toUpperCase()}`;
  return tryCheck(session, operation, "unsupported_method", label, async (trial) => {
    const { status, headers } = await trial.send(toSent(call));
    const expectation = "assert.equal(response.status, 405);";
    // servers outside may hide what they do not serve
    const isRefused = status === 405 || (!session.api.isFramework && status >= 400 && status < 500);
    if (!isRefused)
      return trial.fail(`A method that is not declared is answered with ${status}.`, expectation);
    if (status !== 405) return true;
    const allowed = (headers.get("allow") ?? "")
      .toLowerCase()
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one && one !== "options");
    const hasHead = served.includes("get") && session.api.isFramework;
    const wanted = new Set([...served, ...(hasHead ? ["head"] : [])]);
    // whether there is a file is not known
    const isKnown = (one: string): boolean =>
      wanted.has(one) || (hasFiles && (one === "get" || one === "head"));
    const isWhole = session.api.isFramework ? allowed.every(isKnown) : true;
    if (isWhole && [...wanted].every((one) => allowed.includes(one))) return true;
    return trial.fail(
      `Allow is ${allowed.join(", ").toUpperCase() || "missing"}, but the path serves ${[...wanted].join(", ").toUpperCase()}.`,
    );
  });
};

/** Lists the paths of static files. */
const listFolders = (routing: object, path = ""): readonly string[] =>
  Object.entries(routing).flatMap(([key, value]: [string, unknown]) => {
    const own = key === "" ? path || "/" : `${path}/${key.replace(/^\/+/, "")}`;
    if (value instanceof ServeStatic) return [own];
    const isMap = typeof value === "object" && value !== null;
    return isMap && Object.getPrototypeOf(value) === Object.prototype
      ? listFolders(value, own === "/" ? "" : own)
      : [];
  });
