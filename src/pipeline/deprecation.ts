import { toInstant, type Deprecation } from "../endpoint/deprecation.ts";
import type { HandlerArguments } from "../endpoint/handler-arguments.ts";
import { middlewareMark, type AnyMiddleware } from "../endpoint/middleware.ts";
import { RequestError } from "../errors.ts";

/**
 * Creates the middleware of a deprecated endpoint. It runs after all others.
 *
 * @see RFC 9745 and RFC 8594
 */
export const createDeprecation = (deprecation: Deprecation): AnyMiddleware => {
  const { sunset: end, gone = false, policy, replacement } = deprecation;
  const since = `@${Math.floor(toInstant(deprecation.since).getTime() / 1000)}`;
  const sunset = end === undefined ? undefined : toInstant(end);
  const links = [
    [policy, "deprecation"],
    [end === undefined ? undefined : policy, "sunset"],
    [replacement, "successor-version"],
  ] as const;
  const handle = ({ request, response }: HandlerArguments<never, never>): void => {
    response.setHeader("Deprecation", since);
    if (sunset) response.setHeader("Sunset", sunset.toUTCString());
    for (const [target, relation] of links)
      if (target !== undefined)
        response.appendHeader("Link", `<${fillIn(target, request.params)}>; rel="${relation}"`);
    if (gone && sunset && Date.now() >= sunset.getTime()) throw new RequestError("SLP_GONE");
  };
  return { [middlewareMark]: true, handle };
};

/** Puts the path parameters of a request in place of their names; those of wildcards are arrays. */
const fillIn = (target: string, params: Readonly<Record<string, unknown>>): string =>
  target.replaceAll(/[:*]([A-Za-z_$][\w$]*)/g, (all, name: string) =>
    Object.hasOwn(params, name)
      ? [params[name]]
          .flat()
          .map((part) => encodeURIComponent(String(part)))
          .join("/")
      : all,
  );
