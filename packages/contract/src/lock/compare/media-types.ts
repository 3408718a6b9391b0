import type { RuleId } from "../rules/rules.ts";

interface MediaTypePairs {
  readonly kept: readonly {
    readonly was: string;
    readonly is: string;
    /** How a name has changed. */
    readonly rule?: RuleId | undefined;
  }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Finds which media type became which: a kind of it, or what it is a kind of. */
export const pairMediaTypes = (
  before: readonly string[],
  after: readonly string[],
  direction: "request" | "response",
): MediaTypePairs => {
  const kept: MediaTypePairs["kept"][number][] = [];
  const removed: string[] = [];
  const added = new Set(after.filter((type) => !before.includes(type)));
  for (const was of before) {
    const found = after.includes(was)
      ? { was, is: was }
      : (direction === "request" ? after : [...added])
          .map((is) => ({ was, is, rule: relate[direction](was, is) }))
          .find(({ rule }) => rule);
    if (found) {
      kept.push(found);
      added.delete(found.is);
    } else removed.push(was);
  }
  return { kept, added: [...added], removed };
};

const relate = {
  // of what a server takes, only a range stands for others
  request: (was: string, is: string): RuleId | undefined => {
    if (was.endsWith("*") && isKindOf(is, was)) return "request-media-type-specialised";
    return is.endsWith("*") && isKindOf(was, is) ? "request-media-type-generalised" : undefined;
  },
  response: (was: string, is: string): RuleId | undefined => {
    const [old = "", own = ""] = [was, is].map((type) => type.split(";")[0]?.trim());
    if (old === own) return "response-media-type-parameters-changed";
    if (isKindOf(own, old)) return "response-media-type-specialised";
    return isKindOf(old, own) ? "response-media-type-generalised" : undefined;
  },
};

/** Whether a media type is a kind of another one, as `application/problem+json` is of `application/json`. */
const isKindOf = (type: string, other: string): boolean => {
  const [main, sub = ""] = type.split("/");
  const [otherMain, otherSub = ""] = other.split("/");
  if (otherMain === "*") return true;
  return main === otherMain && (otherSub === "*" || sub.endsWith(`+${otherSub}`));
};
