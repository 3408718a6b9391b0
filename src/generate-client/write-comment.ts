/** The description of a type, a field or a route. */
export interface Notes {
  readonly texts: readonly (string | undefined)[];
  readonly isDeprecated?: boolean | undefined;
}

/** Writes a TSDoc comment and a line break; returns an empty string if there is no description. */
export const writeComment = ({ texts, isDeprecated = false }: Notes): string => {
  const said = texts.flatMap((text) => {
    // this removes all control characters except line breaks and tabs
    const printable = text?.replaceAll(/[^\P{Cc}\t\n\r]/gu, "") ?? "";
    const trimmed = printable.replaceAll("*/", "*\\/").trim();
    return trimmed === "" ? [] : [trimmed];
  });
  const lines = [...new Set(said), ...(isDeprecated ? ["@deprecated"] : [])]
    .join("\n\n")
    .split(/\r\n?|[\n\u2028\u2029]/);
  const [first = "", ...more] = lines;
  if (more.length === 0) return first === "" ? "" : `/** ${first} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
};
