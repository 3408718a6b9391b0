import { listOperations, type DocumentedConfig, type Operation } from "../api/operation.ts";
import type { Logger } from "../../basics/logger/logger.ts";
import type { Routes } from "../../define/routing/walk-routing.ts";
import { checkBodies } from "./check-bodies.ts";
import { checkPathParameters, checkSources } from "./check-fields.ts";
import { checkShadows } from "./check-shadows.ts";
import { checkInputs, checkOutputs } from "./check-schemas.ts";
import { checkSharedFields } from "./check-shared-fields.ts";
import { report, type Diagnostic } from "./diagnostic.ts";

export interface CheckedConfig extends DocumentedConfig {
  readonly beforeRouting?: unknown;
  readonly cookies?: boolean | { readonly secret?: unknown } | undefined;
}

/** In development, warns about legal but probably unintended parts of a routing map. */
export const checkRouting = (
  { endpoints, statics, gappedKeys }: Routes,
  config: CheckedConfig,
  logger: Logger,
): void => {
  const { app, beforeRouting, upload = false } = config;
  const facts = {
    takesUploads: upload !== false,
    hasNativeParsers: app !== undefined || beforeRouting !== undefined,
  };
  const operations = listOperations(endpoints, config);
  const checks: readonly (() => readonly Diagnostic[])[] = [
    () => checkCookies(operations, config),
    () => checkLimits(operations),
    () => checkPathParameters(operations),
    () => checkInputs(operations),
    () => checkSharedFields(operations),
    () => checkBodies(operations, facts),
    () => checkSources(operations, facts),
    () => checkOutputs(operations),
    () => checkShadows(operations, statics),
    () => gappedKeys.map(toGapWarning),
  ];
  for (const check of checks) {
    try {
      for (const { code, text, meta } of check()) logger.warn(`${code}: ${text}`, meta);
    } catch (error) {
      // a failed check must not keep the server from starting
      logger.debug("A routing check failed", { error });
    }
  }
};

const toGapWarning = ({ key, path }: Routes["gappedKeys"][number]): Diagnostic => ({
  code: "SLP_WARN_ROUTING_KEY",
  text: `The key "${key}" has an empty segment, which no path can have, so it stands for "${path}". Remove the second slash.`,
  meta: { path },
});

/** Finds limits that clients cannot tell apart, and whose counts a common store would add up. */
const checkLimits = (operations: readonly Operation[]): readonly Diagnostic[] =>
  report(operations, ({ route, endpoint }) => {
    const known = new Set<string>();
    return endpoint.middlewares.flatMap((at) => {
      const { limitName: name } = at;
      if (name === undefined) return [];
      if (!known.has(name)) {
        known.add(name);
        return [];
      }
      const text = `${route} has two rate limits with the name "${name}", which clients cannot tell apart. Set another \`name\` for one of them.`;
      return [{ at, code: "SLP_WARN_LIMIT_NAME", text, meta: { name } }];
    });
  });

const checkCookies = (
  operations: readonly Operation[],
  config: CheckedConfig,
): readonly Diagnostic[] => {
  const configured = Object.values(config.inputSources ?? {});
  const sources = [...operations.map((operation) => operation.sources), ...configured].flat();
  const text = describeFault(config, sources);
  return text === undefined ? [] : [{ code: "SLP_WARN_COOKIES", text, meta: {} }];
};

const describeFault = (config: CheckedConfig, sources: readonly unknown[]): string | undefined => {
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
