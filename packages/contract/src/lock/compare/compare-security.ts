import type { Credentials, SecurityScheme } from "@sallyport/document";
import type { OperationPlace } from "./place.ts";

/** What a caller sends, as `scheme` and `scheme:scope`; the name of a scheme in the document means nothing. */
type Sent = readonly string[];

const toSent = (alternatives: readonly Credentials[]): readonly Sent[] =>
  alternatives
    .map((one) =>
      one.flatMap(({ name, scheme, scopes }) => {
        const text = describeScheme(name, scheme);
        return [text, ...scopes.map((scope) => `${text}:${scope}`)];
      }),
    )
    .map((one) => one.toSorted())
    .toSorted((one, other) => (one.join() < other.join() ? -1 : 1));

const describeScheme = (name: string, { type, scheme, in: place, key }: SecurityScheme): string => {
  if (type === "http") return `http ${scheme}`;
  if (type === "apiKey") return `${place} ${key}`;
  return type === "unknown" ? name : type;
};

/** Compares where clients get their tokens. */
const compareUrls = (
  before: readonly Credentials[],
  after: readonly Credentials[],
  place: OperationPlace,
): void => {
  const list = (all: readonly Credentials[]): ReadonlyMap<string, string> =>
    new Map(
      all
        .flat()
        .flatMap(({ scheme: { type, urls = {} } }) =>
          Object.entries(urls).map(([name, url]) => [`${type} ${name}`, url] as const),
        ),
    );
  const [old, own] = [list(before), list(after)];
  for (const [name, url] of old) {
    if (own.size === 0 || own.get(name) === url) continue;
    const flow = name.slice(0, name.lastIndexOf(" ") + 1);
    const isFlowLeft = [...own.keys()].some((one) => one.startsWith(flow));
    const details = { name, before: url, after: own.get(name) ?? "none" };
    place.tell("security-url-changed", details, isFlowLeft ? undefined : "breaking");
  }
};

/**
 * Compares who has access: those with all credentials of one of the alternatives, or everybody if there are none.
 */
export const compareSecurity = (
  given: readonly Credentials[],
  now: readonly Credentials[],
  place: OperationPlace,
): void => {
  const [before, after] = [toSent(given), toSent(now)];
  compareUrls(given, now, place);
  if (before.length === 0 && after.length === 0) return;
  if (before.length === 0) return place.tell("security-added", { after: toWords(after) });
  if (after.length === 0) return place.tell("security-removed", { before: toWords(before) });
  const isIn = (one: Sent, all: Sent): boolean =>
    one.every((credential) => all.includes(credential));
  // whose credentials do no longer suffice, and whose had not sufficed
  const refused = before.filter((old) => !after.some((own) => isIn(own, old)));
  const admitted = after.filter((own) => !before.some((old) => isIn(old, own)));
  const news = [...admitted];
  for (const old of refused) {
    const own = after.find((one) => isIn(old, one) && !before.includes(one));
    if (own) {
      tellDifference(old, own, "added", place);
      if (news.includes(own)) news.splice(news.indexOf(own), 1);
    } else place.tell("security-alternative-removed", { before: old.join(" and ") });
  }
  for (const own of news) {
    const old = before.find((one) => isIn(own, one));
    if (old) tellDifference(old, own, "removed", place);
    else place.tell("security-alternative-added", { after: own.join(" and ") });
  }
};

const tellDifference = (
  old: Sent,
  own: Sent,
  kind: "added" | "removed",
  place: OperationPlace,
): void => {
  const [less, more] = kind === "added" ? [old, own] : [own, old];
  const difference = more.filter((credential) => !less.includes(credential));
  // a scope stands beside its scheme
  const isScope = (credential: string): boolean =>
    less.some((scheme) => credential.startsWith(`${scheme}:`));
  if (difference.every(isScope))
    for (const name of difference) place.tell(`scope-${kind}`, { name });
  else
    place.tell(kind === "added" ? "security-tightened" : "security-loosened", {
      before: old.join(" and "),
      after: own.join(" and "),
    });
};

const toWords = (alternatives: readonly Sent[]): string =>
  alternatives.map((one) => one.join(" and ")).join(", or ");
