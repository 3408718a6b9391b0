/** Returns a media type without its parameters. */
export const toEssence = (type: string): string => (type.split(";")[0] ?? "").trim().toLowerCase();

export const isJson = (type: string): boolean => /^[\w.+/-]*\bjson$/.test(toEssence(type));

/** Whether a range, such as `text/*`, has a media type. */
const isInRange = (range: string, type: string): boolean => {
  const [main, sub] = range.split("/");
  const [ownMain, ownSub] = type.split("/");
  return (main === "*" || main === ownMain) && (sub === "*" || sub === ownSub);
};

/** Finds which of the declared media types or ranges one that is sent belongs to, the most specific one first. */
export const findDeclared = (declared: readonly string[], sent: string): string | undefined => {
  const type = toEssence(sent);
  const fitting = declared.filter((one) => isInRange(toEssence(one), type));
  return (
    fitting.find((one) => one === sent.toLowerCase()) ??
    fitting.toSorted((one, other) => countStars(one) - countStars(other))[0]
  );
};

const countStars = (type: string): number => type.split("*").length;

/** JSON comes first, and ranges last. */
const rank = (type: string): number =>
  toEssence(type) === "application/json" ? 0 : isJson(type) ? 1 : type.includes("*") ? 3 : 2;

/** A declared media type, and the one that is sent for it: a declared range is none. */
export interface Chosen {
  readonly declared: string;
  readonly type: string;
}

/**
 * Chooses the media type that a client prefers; undefined if it accepts none.
 *
 * @see RFC 9110, section 12.5.1
 */
export const negotiate = (
  declared: readonly string[],
  accept: string | undefined,
): Chosen | undefined => {
  const sorted = declared.toSorted((one, other) => rank(one) - rank(other));
  const ranges = readAccept(accept);
  let best: (Chosen & { readonly quality: number }) | undefined;
  for (const one of sorted) {
    const essence = toEssence(one);
    const fitting = ranges
      .filter(
        ({ range }) =>
          isInRange(range, essence) ||
          isInRange(essence, range) ||
          // what a client that asks for JSON expects of kinds of it
          (range === "application/json" && isJson(one)),
      )
      .toSorted(
        (left, right) =>
          Number(right.range === essence) - Number(left.range === essence) ||
          countStars(left.range) - countStars(right.range),
      );
    const [{ range, quality } = { range: "", quality: 0 }] = fitting;
    if (quality > (best?.quality ?? 0))
      best = {
        declared: one,
        type: essence.includes("*") ? toConcrete(essence, range) : one,
        quality,
      };
  }
  return best && { declared: best.declared, type: best.type };
};

const readAccept = (accept = "*/*") =>
  accept.split(",").flatMap((part) => {
    const range = toEssence(part);
    const [, quality = "1"] = /;\s*q\s*=\s*([\d.]+)/i.exec(part) ?? [];
    return /^[^/\s]+\/[^/\s]+$/.test(range) ? [{ range, quality: Number(quality) }] : [];
  });

const usual: Readonly<Record<string, string>> = {
  ...{ "*/*": "application/json", "application/*": "application/json", "text/*": "text/plain" },
  ...{ "image/*": "image/png", "audio/*": "audio/wav", "video/*": "video/mp4" },
};

const toConcrete = (declared: string, range: string): string =>
  range.includes("*") ? (usual[declared] ?? "application/octet-stream") : range;
