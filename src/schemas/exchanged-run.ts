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
  readonly #name: "run" | "parse";
  readonly #own: OwnRun;
  readonly #exchanged: Run;

  /** @param name `run` is all that Zod does by a schema, `parse` the part before its checks */
  constructor(schema: ZodSchema, name: "run" | "parse", wrap: (own: OwnRun) => Run) {
    this.#internals = schema._zod;
    this.#name = name;
    this.#own = { run: schema._zod[name] };
    this.#exchanged = wrap(this.#own);
  }

  begin(): void {
    this.#own.run = this.#internals[this.#name];
    this.#internals[this.#name] = this.#exchanged;
  }

  end(): void {
    this.#internals[this.#name] = this.#own.run;
  }
}
