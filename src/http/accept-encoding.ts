/** Matches a quality value, as defined in RFC 9110, section 12.4.2. */
const qualityPattern = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Chooses the content coding for a response from the `Accept-Encoding` field.
 *
 * @param supported the supported codings in lower case, in the server's order of preference, which decides between
 * equal qualities
 * @returns the chosen coding; undefined if the body should be sent unencoded
 * @see RFC 9110, section 12.5.3
 */
export const chooseEncoding = (
  header: string | undefined,
  supported: readonly string[],
): string | undefined => {
  if (header === undefined) return undefined;
  const qualities = toQualities(header);
  const others = qualities.get("*");
  // `identity` need not be listed, but every listed coding is then preferred to it
  let best = qualities.get("identity") ?? others ?? 0;
  let chosen: string | undefined;
  for (const coding of supported) {
    const quality = qualities.get(coding) ?? others ?? 0;
    if (quality > best || (quality === best && quality > 0 && chosen === undefined)) {
      best = quality;
      chosen = coding;
    }
  }
  return chosen;
};

/** Parses the codings in a field, each with its quality; malformed members are left out. */
const toQualities = (header: string): ReadonlyMap<string, number> => {
  const qualities = new Map<string, number>();
  for (const member of header.toLowerCase().split(",")) {
    const [coding = "", weight, ...more] = member.split(";");
    const quality = weight === undefined ? 1 : toQuality(weight.trim());
    if (quality === undefined || more.length > 0) continue;
    const name = coding.trim();
    qualities.set(name === "x-gzip" ? "gzip" : name, quality);
  }
  return qualities;
};

/** Parses a weight such as `q=0.5`, in lower case. */
const toQuality = (weight: string): number | undefined => {
  const value = weight.startsWith("q=") ? weight.slice(2) : "";
  return qualityPattern.test(value) ? Number(value) : undefined;
};
