export interface ContentType {
  /** The type and subtype in lower case, such as `application/json`. */
  readonly type: string;
  /** The parameters, with names in lower case and values as given. */
  readonly parameters: ReadonlyMap<string, string>;
}

// each repeated part can only be followed by a character that it does not match, so matching takes linear time
const typePattern = /^[ \t]*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)[ \t]*(?:;|$)/;
const parameterPattern =
  /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(?:;|$)/y;

const noParameters: ReadonlyMap<string, string> = new Map();

/** Parses a field strictly (RFC 9110, section 8.3.1); returns undefined if it is malformed. */
export const parseContentType = (field: string): ContentType | undefined => {
  if (field === "application/json") return { type: field, parameters: noParameters };
  const head = typePattern.exec(field);
  if (head?.[1] === undefined) return undefined;
  const parameters = new Map<string, string>();
  parameterPattern.lastIndex = head[0].length;
  while (parameterPattern.lastIndex < field.length) {
    const match = parameterPattern.exec(field);
    if (match === null) return undefined;
    const [, name, plain, quoted] = match;
    if (name === undefined) continue;
    parameters.set(name.toLowerCase(), plain ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
  }
  return { type: head[1].toLowerCase(), parameters };
};
