/** A file before and after the migration. */
export interface Case {
  /** The rule that it is about. */
  readonly rule: string;
  readonly major: number;
  readonly before: string;
  /** Marks are written `// TODO: text #section`. */
  readonly after: string;
  /** Set if the compiler makes CommonJS of it. */
  readonly isCommonJs?: true;
  /** Set if a marked line remains for a person. */
  readonly isIncomplete?: true;
  /** The variables of other files that hold an event stream factory. */
  readonly streams?: readonly string[];
}
