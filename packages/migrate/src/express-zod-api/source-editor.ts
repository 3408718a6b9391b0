import {
  Node,
  SyntaxKind,
  type CallExpression,
  type NewExpression,
  type ObjectLiteralExpression,
  type SourceFile,
} from "ts-morph";
import type { Users } from "./users.ts";

/** The beginning of the comment on what a person must change. */
export const markPrefix = "// TODO(sallyport-migrate):";

const guide = "https://sallyport.github.io/sallyport/from-express-zod-api";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Facts of the application that rules depend on. */
export interface AppFacts {
  /** The major version of express-zod-api; undefined if package.json does not tell. */
  readonly major: number | undefined;
  /** Whether schemas are those of Zod 3. */
  readonly isZod3: boolean;
  /** The variables of any file that hold an event stream factory. */
  readonly streamFactories: ReadonlySet<string>;
  readonly users: Users;
  /** Checks whether `await` may stand outside functions. */
  readonly mayAwait: (file: string) => boolean;
}

/** Collects the edits of one rule in one file; edits that overlap earlier ones wait for the next pass. */
export class SourceEditor {
  readonly source: SourceFile;
  readonly facts: AppFacts;
  /** What the file must import, by module; kept from rule to rule. */
  readonly needs: Map<string, Set<string>>;
  /** The number of rewritten places. */
  places = 0;
  /** Whether no edit has been postponed. */
  isComplete = true;
  readonly #edits: Edit[] = [];
  readonly #marks = new Map<number, Set<string>>();

  constructor(source: SourceFile, facts: AppFacts, needs: Map<string, Set<string>>) {
    this.source = source;
    this.facts = facts;
    this.needs = needs;
  }

  /** Rewrites one place, by edits that are all made or all postponed. */
  change(...edits: readonly Edit[]): void {
    const isFree = edits.every((edit) =>
      this.#edits.every((other) => edit.end <= other.start || edit.start >= other.end),
    );
    this.isComplete &&= isFree;
    if (!isFree) return;
    this.#edits.push(...edits);
    this.places++;
  }

  /** Imports a name, and returns what the file calls it, because it may have declared that name itself. */
  need(module: string, name: string): string {
    const isTaken = [
      ...this.source.getDescendantsOfKind(SyntaxKind.VariableDeclaration),
      ...this.source.getDescendantsOfKind(SyntaxKind.FunctionDeclaration),
    ].some((one) => one.getName() === name);
    const local = isTaken ? `sallyport${name.slice(0, 1).toUpperCase()}${name.slice(1)}` : name;
    const text = isTaken ? `${name} as ${local}` : name;
    this.needs.set(module, (this.needs.get(module) ?? new Set()).add(text));
    return local;
  }

  /**
   * Puts a comment above the line of a node.
   *
   * @param section the heading of the guide that the comment links to
   */
  mark(node: Node, text: string, section: string): void {
    const start = toLineStart(this.source, node);
    const comment = toComment(text, section);
    if (this.#isMarked(start, comment)) return;
    this.#marks.set(start, (this.#marks.get(start) ?? new Set()).add(comment));
  }

  /** Removes an element of a list, and leaves a mark in its place. */
  removeWithMark(node: Node, text: string, section: string): void {
    const whole = this.source.getFullText();
    const next = node.getNextSibling();
    const end = next?.isKind(SyntaxKind.CommaToken) ? next.getEnd() : node.getEnd();
    const lineStart = whole.lastIndexOf("\n", node.getStart() - 1) + 1;
    const lineEnd = whole.indexOf("\n", end);
    const isAlone =
      whole.slice(lineStart, node.getStart()).trim() === "" &&
      whole.slice(end, lineEnd).trim() === "";
    if (isAlone) return this.change(between(node.getStart(), end, toComment(text, section)));
    this.mark(node.getParentOrThrow(), text, section);
    this.change(removeElement(node));
  }

  /** Returns the text with all edits and marks, or undefined if there are none. */
  finish(): string | undefined {
    const text = this.source.getFullText();
    const marks = [...this.#marks].map(([start, comments]): Edit => {
      const indent = /^[\t ]*/.exec(text.slice(start))?.[0] ?? "";
      const lines = [...comments].map((comment) => `${indent}${comment}\n`).join("");
      return { start, end: start, text: lines };
    });
    // a mark within an edit would be lost; the next pass sets it again
    const free = marks.filter(({ start }) =>
      this.#edits.every((edit) => start <= edit.start || start >= edit.end),
    );
    const edits = [...free, ...this.#edits];
    if (edits.length === 0) return undefined;
    return edits
      .map((edit, index) => ({ ...edit, index }))
      .sort((one, other) => other.start - one.start || other.index - one.index)
      .reduce(
        (all, { start, end, text: given }) => all.slice(0, start) + given + all.slice(end),
        text,
      );
  }

  #isMarked(start: number, comment: string): boolean {
    const above = this.source.getFullText().slice(0, start).split("\n").slice(0, -1);
    for (const line of above.toReversed()) {
      if (line.trim() === comment) return true;
      if (!line.trim().startsWith("//")) return false;
    }
    return false;
  }
}

const toComment = (text: string, section: string): string =>
  `${markPrefix} ${text} See ${guide}#${section}`;

/** Returns where the line of a node starts; that of its statement if the line starts within a template or a string. */
const toLineStart = (source: SourceFile, node: Node): number => {
  const text = source.getFullText();
  const start = text.lastIndexOf("\n", node.getStart() - 1) + 1;
  const outer = source.getDescendantAtPos(start);
  const isText =
    outer !== undefined &&
    outer.getStart() < start &&
    (Node.isTemplateHead(outer) ||
      outer.isKind(SyntaxKind.TemplateMiddle) ||
      outer.isKind(SyntaxKind.TemplateTail) ||
      Node.isNoSubstitutionTemplateLiteral(outer));
  if (!isText) return start;
  const statement = node.getFirstAncestor((one) => Node.isStatement(one)) ?? node;
  return text.lastIndexOf("\n", statement.getStart() - 1) + 1;
};

/** Removes the type arguments of a call or of `new`. */
export const removeTypeArguments = (call: CallExpression | NewExpression): readonly Edit[] => {
  const [open] = call.getChildrenOfKind(SyntaxKind.LessThanToken);
  const [close] = call.getChildrenOfKind(SyntaxKind.GreaterThanToken);
  return open && close ? [between(open.getStart(), close.getEnd())] : [];
};

export const replace = (node: Node, text: string): Edit => ({
  start: node.getStart(),
  end: node.getEnd(),
  text,
});

export const between = (start: number, end: number, text = ""): Edit => ({ start, end, text });

export const insertAt = (position: number, text: string): Edit => between(position, position, text);

/** Removes a statement with its line, but not the comments around it. */
export const removeStatement = (node: Node): Edit => {
  const text = node.getSourceFile().getFullText();
  const start = text.lastIndexOf("\n", node.getStart() - 1) + 1;
  const rest = /^[\t ]*(?:\r?\n|$)/.exec(text.slice(node.getEnd()))?.[0];
  const isAlone = rest !== undefined && text.slice(start, node.getStart()).trim() === "";
  return isAlone
    ? between(start, node.getEnd() + rest.length)
    : between(node.getStart(), node.getEnd());
};

/** Removes an element of a list, such as a property or an argument, together with its comma. */
export const removeElement = (node: Node): Edit => {
  const next = node.getNextSibling();
  if (next?.isKind(SyntaxKind.CommaToken)) {
    const isFirst = node.getPreviousSibling() === undefined;
    const isLast = next.getNextSibling() === undefined;
    // keeps the space after an opening brace
    const isOnLine = !node
      .getSourceFile()
      .getFullText()
      .slice(node.getPos(), node.getStart())
      .includes("\n");
    if (isFirst && !isLast && isOnLine)
      return between(node.getStart(), next.getNextSiblingOrThrow().getStart());
    return between(node.getPos(), next.getEnd());
  }
  const previous = node.getPreviousSibling();
  return between(previous?.getStart() ?? node.getStart(), node.getEnd());
};

/** Adds properties at the beginning of an object literal. */
export const addProperty = (object: ObjectLiteralExpression, text: string): Edit => {
  const [first] = object.getProperties();
  if (!first) return replace(object, `{ ${text} }`);
  const gap = object
    .getSourceFile()
    .getFullText()
    .slice(object.getStart() + 1, first.getStart());
  const indent = /\n[\t ]*$/.exec(gap)?.[0];
  return insertAt(first.getStart(), `${text},${indent ?? " "}`);
};
