interface MediaTypePairs {
  readonly kept: readonly {
    readonly was: string;
    readonly is: string;
    /** How a name has changed. */
    readonly kind?: "specialised" | "generalised" | "parameters-changed";
  }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Finds which media type became which: in responses, one may have become more special, or less. */
export const pairMediaTypes = (
  before: readonly string[],
  after: readonly string[],
  direction: "request" | "response",
): MediaTypePairs => {
  const kept: MediaTypePairs["kept"][number][] = [];
  const removed = before.filter((type) => !after.includes(type));
  const added = after.filter((type) => !before.includes(type));
  for (const type of before) if (after.includes(type)) kept.push({ was: type, is: type });
  for (const was of [...removed]) {
    const found = added.map((is) => ({ was, is, kind: relate(was, is) })).find(({ kind }) => kind);
    if (!found?.kind || direction === "request") continue;
    kept.push({ was, is: found.is, kind: found.kind });
    removed.splice(removed.indexOf(was), 1);
    added.splice(added.indexOf(found.is), 1);
  }
  return { kept, added, removed };
};

const relate = (was: string, is: string) => {
  const [old = "", own = ""] = [was, is].map((type) => type.split(";")[0]?.trim());
  if (old === own) return "parameters-changed" as const;
  if (isKindOf(own, old)) return "specialised" as const;
  return isKindOf(old, own) ? ("generalised" as const) : undefined;
};

/** Whether a media type is a kind of another one, as `application/problem+json` is of `application/json`. */
const isKindOf = (type: string, other: string): boolean => {
  const [main, sub = ""] = type.split("/");
  const [otherMain, otherSub = ""] = other.split("/");
  if (otherMain === "*") return true;
  return main === otherMain && (otherSub === "*" || sub.endsWith(`+${otherSub}`));
};
