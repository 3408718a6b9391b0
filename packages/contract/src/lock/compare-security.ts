import type { OperationPlace } from "./place.ts";

type Credentials = readonly string[];

/**
 * Compares who has access: those with all credentials of one of the alternatives, or everybody if there are none.
 */
export const compareSecurity = (
  before: readonly Credentials[],
  after: readonly Credentials[],
  place: OperationPlace,
): void => {
  if (before.length === 0 && after.length === 0) return;
  if (before.length === 0) return place.tell("security-added", { after: toWords(after) });
  if (after.length === 0) return place.tell("security-removed", { before: toWords(before) });
  const isIn = (one: Credentials, all: Credentials): boolean =>
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
  old: Credentials,
  own: Credentials,
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

const toWords = (alternatives: readonly Credentials[]): string =>
  alternatives.map((one) => one.join(" and ")).join(", or ");
