import type { DocumentedConfig, Operation } from "../api/operation.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** The options that decide whether cookies are parsed. */
export interface CookieConfig extends Pick<DocumentedConfig, "app" | "inputSources"> {
  readonly beforeRouting?: unknown;
  readonly cookies?: boolean | { readonly secret?: unknown } | undefined;
}

/** Finds a mistake in the use of cookies. */
export const checkCookies = (
  operations: readonly Operation[],
  config: CookieConfig,
): readonly Diagnostic[] => {
  const configured = Object.values(config.inputSources ?? {});
  const sources = [...operations.map((operation) => operation.sources), ...configured].flat();
  const text = describeFault(config, sources);
  return text === undefined ? [] : [{ code: "SLP_WARN_COOKIES", text, meta: {} }];
};

const describeFault = (config: CookieConfig, sources: readonly unknown[]): string | undefined => {
  const { cookies = false } = config;
  const options = typeof cookies === "object" ? cookies : {};
  if ("secret" in options && options.secret === undefined)
    return "`cookies.secret` is undefined, so no cookies are signed. Set it, for example in the environment, or omit the option.";
  // the application, or a hook, may parse cookies
  if ("app" in config || "beforeRouting" in config) return undefined;
  if (cookies === false && sources.some((one) => String(one).endsWith("ookies")))
    return "`inputSources` lists cookies, but nothing parses them. Set `cookies: true`, or `cookies: { secret }` for signed cookies.";
  if (options.secret === undefined && sources.includes("signedCookies"))
    return "`inputSources` lists signed cookies, but there is no secret to verify them with. Set `cookies: { secret }`.";
  return undefined;
};
