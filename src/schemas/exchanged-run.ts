import type { ZodSchema } from "./schema.ts";

/** How Zod parses by a schema: it is called as a property of the schema, each time. */
export type Run = (
  ...args: Parameters<ZodSchema["_zod"]["run"]>
) => ReturnType<ZodSchema["_zod"]["run"]>;

/** The run that an exchanged one calls; it is read anew at each parse, because another parse may have exchanged it as well. */
export interface OwnRun {
  run: Run;
}

/** Exchanges how a schema is parsed while one parse is under way. */
export class ExchangedRun {
  readonly #internals: Record<"run" | "parse", Run>;
  readonly #isRun: boolean;
  readonly #own: OwnRun;
  readonly #exchanged: Run;

  /** @param name `run` is all that Zod does by a schema, `parse` the part before its checks */
  constructor(schema: ZodSchema, name: "run" | "parse", wrap: (own: OwnRun) => Run) {
    this.#internals = schema._zod;
    this.#isRun = name === "run";
    this.#own = { run: schema._zod[name] };
    this.#exchanged = wrap(this.#own);
  }

  // the names are written out, for each parse comes by here: a name in a variable would be looked up
  begin(): void {
    const internals = this.#internals;
    if (this.#isRun) {
      this.#own.run = internals.run;
      internals.run = this.#exchanged;
    } else {
      this.#own.run = internals.parse;
      internals.parse = this.#exchanged;
    }
  }

  end(): void {
    if (this.#isRun) this.#internals.run = this.#own.run;
    else this.#internals.parse = this.#own.run;
  }
}
