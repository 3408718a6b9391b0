/** A value for which the schema has no value that could be found; the message says where and why. */
export class UngeneratableError extends Error {
  override readonly name = "UngeneratableError";
  /** Where the value is, such as `items[0].isbn`; empty for the whole. */
  readonly path: string;

  constructor(path: string, why: string) {
    super(why);
    this.path = path;
  }
}
