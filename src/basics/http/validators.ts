/** Matches a list of entity tags, whose elements may be empty. */
const tagListPattern = /^[\t ,]*(?:(?:W\/)?"[^"]*"[\t ]*(?:,[\t ,]*|$))+$/;

/**
 * Checks whether a list of entity tags, which is not `*`, names a tag, given without its quotes; a weak tag in the list
 * does so only in the weak comparison.
 *
 * @see RFC 9110, section 8.8.3.2
 */
export const namesTag = (
  list: string,
  tag: string | undefined,
  comparison: "strong" | "weak",
): boolean => {
  if (!tagListPattern.test(list)) return false;
  // a tag may contain commas, but no quotes, so every second part is one
  const parts = list.split('"');
  return parts.some(
    (one, at) =>
      at % 2 === 1 &&
      one === tag &&
      (comparison === "weak" || parts[at - 1]?.endsWith("W/") === false),
  );
};

/** The three forms of dates in HTTP (RFC 9110, section 5.6.7); the last of them lacks its GMT. */
const datePatterns = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d\d \d\d:\d\d:\d\d GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
];

/** Returns the time of a date; NaN if there is none, or one that is not valid and therefore ignored. */
export const toTime = (field = ""): number => {
  if (!datePatterns.some((pattern) => pattern.test(field))) return Number.NaN;
  const [, digits] = /-(\d\d) /.exec(field) ?? [];
  if (digits === undefined) return parse(field);
  // a date whose year has two digits is at most 50 years ahead
  const last = new Date();
  last.setUTCFullYear(last.getUTCFullYear() + 50);
  const year = last.getUTCFullYear() - ((last.getUTCFullYear() - Number(digits)) % 100);
  const [time, before] = [year, year - 100].map((one) =>
    parse(field.replace(/-\d\d /, `-${one} `)),
  );
  return (Number(time) > last.getTime() ? before : time) as number;
};

const parse = (field: string): number => {
  const date = new Date(field.replace(/( GMT)?$/, " GMT"));
  // 31 Feb would be a day in March
  return date.getUTCDate() === Number(/\d+/.exec(field)) ? date.getTime() : Number.NaN;
};
