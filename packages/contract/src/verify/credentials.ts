import { ContractError } from "../errors.ts";
import { isProtected, type Api, type Operation } from "./operation.ts";
import type { CheckOptions, Login, VerifyClient } from "./options.ts";

/** Header fields; a name with a question mark before it is one of the query. */
export type Credentials = Readonly<Record<string, string>>;

/** Who calls: `lacking` has the login without the scopes. */
export type Caller = "own" | "other" | "lacking";

/** Logs in for an operation; returns undefined if `login` has nobody who could. */
export const logIn = async (
  caller: Caller,
  operation: Operation,
  { schemes }: Api,
  { login = {} }: CheckOptions,
  client: VerifyClient,
): Promise<Credentials | undefined> => {
  const findLogin = (name: string): Login | undefined => {
    const found = Object.hasOwn(login, name) ? login[name] : undefined;
    if (typeof found === "object") return caller === "other" ? found.other : found.own;
    return caller === "other" ? undefined : found;
  };
  const set = operation.security.find((one) => Object.keys(one).every(findLogin));
  if (!set) return undefined;
  const all = await Promise.all(
    Object.entries(set).map(async ([name, scopes]) => {
      const context = { method: operation.method, path: operation.route };
      const found = await findLogin(name)?.(client, {
        ...context,
        scopes: caller === "lacking" ? [] : scopes,
      });
      if (typeof found !== "string" && (typeof found !== "object" || found === null))
        throw new ContractError(
          `verify: \`login.${name}\` must return a string, such as a token, or an object of header fields; for ${operation.key} it returned ${String(found)}. In the default envelope, a token is \`data.token\` of the reply.`,
        );
      return typeof found === "string" ? toFields(schemes[name] ?? {}, found) : lower(found);
    }),
  );
  return Object.assign({}, ...all) as Credentials;
};

const lower = (fields: Credentials): Credentials =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

const toFields = (scheme: Readonly<Record<string, unknown>>, secret: string): Credentials => {
  const name = String(scheme["name"]);
  if (scheme["type"] === "apiKey") {
    if (scheme["in"] === "cookie") return { cookie: `${name}=${secret}` };
    return scheme["in"] === "query" ? { [`?${name}`]: secret } : { [name.toLowerCase()]: secret };
  }
  return { authorization: `${scheme["scheme"] === "basic" ? "Basic" : "Bearer"} ${secret}` };
};

/** Returns what nobody's login looks like. */
export const toGarbage = ({ security }: Operation, { schemes }: Api): Credentials =>
  Object.assign(
    {},
    ...security
      .flatMap((set) => Object.keys(set))
      .map((name) => toFields(schemes[name] ?? {}, "Z2FyYmFnZTpnYXJiYWdl")),
  ) as Credentials;

/** Returns the scopes that an operation requires. */
export const scopesOf = (operation: Operation): readonly string[] =>
  isProtected(operation) ? operation.security.flatMap((set) => Object.values(set).flat()) : [];
