import { ContractError } from "../errors.ts";
import type { SecurityScheme } from "@sallyport/document";
import type { Operation } from "./operation.ts";
import type { CheckOptions, Login, VerifyClient } from "./options.ts";

/** Header fields; a name with a question mark before it is one of the query. */
export type Credentials = Readonly<Record<string, string>>;

/** Who calls: `lacking` has the login without the scopes. */
export type Caller = "own" | "other" | "lacking";

/** Logs in for an operation; returns undefined if `login` has nobody who could. */
export const logIn = async (
  caller: Caller,
  operation: Operation,
  { login = {} }: CheckOptions,
  client: VerifyClient,
): Promise<Credentials | undefined> => {
  const findLogin = (name: string): Login | undefined => {
    const found = Object.hasOwn(login, name) ? login[name] : undefined;
    if (typeof found === "object") return caller === "other" ? found.other : found.own;
    return caller === "other" ? undefined : found;
  };
  const set = operation.security.find((one) => one.every(({ name }) => findLogin(name)));
  if (!set) return undefined;
  const all = await Promise.all(
    set.map(async ({ name, scheme, scopes }) => {
      const context = { method: operation.method, path: operation.route };
      const found = await findLogin(name)?.(client, {
        ...context,
        scopes: caller === "lacking" ? [] : scopes,
      });
      if (typeof found !== "string" && (typeof found !== "object" || found === null))
        throw new ContractError(
          `verify: \`login.${name}\` must return a string, such as a token, or an object of header fields; for ${operation.key} it returned ${String(found)}. In the default envelope, a token is \`data.token\` of the reply.`,
        );
      return typeof found === "string" ? toFields(scheme, found) : lower(found);
    }),
  );
  return Object.assign({}, ...all) as Credentials;
};

const lower = (fields: Credentials): Credentials =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

const toFields = (
  { type, scheme, in: place, key = "" }: SecurityScheme,
  secret: string,
): Credentials => {
  if (type !== "apiKey")
    return { authorization: `${scheme === "basic" ? "Basic" : "Bearer"} ${secret}` };
  if (place === "cookie") return { cookie: `${key}=${secret}` };
  return { [place === "query" ? `?${key}` : key]: secret };
};

/** Returns what nobody's login looks like. */
export const toGarbage = ({ security }: Operation): Credentials =>
  Object.assign(
    {},
    ...security.flat().map(({ scheme }) => toFields(scheme, "Z2FyYmFnZTpnYXJiYWdl")),
  ) as Credentials;

/** Returns the scopes that an operation requires. */
export const scopesOf = ({ security }: Operation): readonly string[] =>
  security.flat().flatMap(({ scopes }) => scopes);
