/** The parts of a TSDoc comment. */
export interface Tsdoc {
  readonly description: string;
  readonly defaultValue: string | undefined;
  readonly params: readonly { readonly name: string; readonly text: string }[];
  readonly throws: readonly string[];
  readonly returns: string | undefined;
  readonly see: readonly string[];
  readonly examples: readonly string[];
}

/** Text of a comment as Markdown: links to names become code. */
const toMarkdown = (text: string): string =>
  text
    .replaceAll(/\{@link ([^}\s]+)\}/g, "`$1`")
    // outside of code, a sign of Vue or HTML would be read as such
    .split(/(`[^`]*`)/)
    .map((part, index) =>
      index % 2 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;"),
    )
    .join("");

/** A value at the beginning of a default is code: `true`, a number, a string, an object, an array or a name. */
const literal = /^(?:true|false|null|-?\d[\d_.]*|"[^"]*"|[[{].*[\]}]|[a-z]+[A-Z]\w*)(?=[,;]? |$)/s;

const toDefault = (text: string): string => {
  const code = literal.exec(text)?.[0];
  return code === undefined
    ? toMarkdown(text)
    : `\`${code}\`${toMarkdown(text.slice(code.length))}`;
};

/** Parses a comment without its stars. */
export const parseTsdoc = (comment: string): Tsdoc => {
  const [description = "", ...blocks] = `\n${comment}`.split(/^(?=@\w)/m);
  const tags = blocks.map((block) => {
    const [, tag = "", text = ""] = /^@(\w+)\s*(.*)$/s.exec(block.trim()) ?? [];
    return { tag, text };
  });
  const list = (name: string): string[] =>
    tags.flatMap(({ tag, text }) => (tag === name ? [text] : []));
  return {
    description: toMarkdown(description.trim()),
    defaultValue: list("default").map(toDefault)[0],
    params: list("param").map((text) => {
      const [, name = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
      return { name, text: toMarkdown(rest) };
    }),
    throws: list("throws").map(toMarkdown),
    returns: list("returns").map(toMarkdown)[0],
    see: list("see").map((text) => (text.startsWith("http") ? `<${text}>` : toMarkdown(text))),
    examples: list("example"),
  };
};
