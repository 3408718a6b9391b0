import type { SourceEditor } from "./source-editor.ts";

/** A row of the guide's table, and what carries it out. */
export interface Rule {
  readonly id: string;
  /** What the application has, in Markdown. */
  readonly from: string;
  /** What it becomes, in Markdown. */
  readonly to: string;
  /** Whether the program rewrites it, marks it for a person, or does one or the other. */
  readonly kind: "rewritten" | "marked" | "both";
  /** Makes all changes that do not overlap; called again until there are none. */
  readonly apply: (editor: SourceEditor) => void;
}
