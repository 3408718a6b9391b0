import type { ZodSchema } from "./schema.ts";

/** Zod's parsing method of a schema; Zod reads this property for each call. */
export type Run = (
  ...args: Parameters<ZodSchema["_zod"]["run"]>
) => ReturnType<ZodSchema["_zod"]["run"]>;

/** The method behind a replacement; read anew at each parse, because another parse may have replaced it too. */
export interface OwnRun {
  run: Run;
}

/** Replaces the parsing method of a schema during one parse. */
export class ExchangedRun {
  readonly #internals: Record<"run" | "parse", Run>;
  readonly #isRun: boolean;
  readonly #own: OwnRun;
  readonly #exchanged: Run;

  /** @param name `run` is all of Zod's parsing, `parse` the part before the checks */
  constructor(schema: ZodSchema, name: "run" | "parse", wrap: (own: OwnRun) => Run) {
    this.#internals = schema._zod;
    this.#isRun = name === "run";
    this.#own = { run: schema._zod[name] };
    this.#exchanged = wrap(this.#own);
  }

  // literal property names, because every parse reads them: a name in a variable would need a lookup
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
