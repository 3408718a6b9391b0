import type { Constant } from "./primitive-code.ts";
import type { SchemaCode } from "./primitive-code.ts";

/** What an endpoint does not express: the place as the lock names it, such as `request`, and the text. */
export interface Note {
  readonly place: string;
  readonly text: string;
}

export const note = (place: string, text: string): Note => ({ place, text });

/** The parts of an operation that cannot be expressed, each with the components that are used in it. */
export class Notes {
  readonly #notes: Note[] = [];
  readonly #untold: string[] = [];
  readonly #uses = new Map<string, Set<Constant>>();

  /** Adds what has no comment yet. */
  add(place: string, ...texts: readonly string[]): void {
    for (const text of texts) {
      this.#notes.push(note(place, text));
      if (!this.#untold.includes(text)) this.#untold.push(text);
    }
  }

  /** Adds the notes of a schema at a place. */
  addSchema(place: string, { notes, untold, uses }: SchemaCode): void {
    for (const text of notes) this.#notes.push(note(place, text));
    for (const text of untold) if (!this.#untold.includes(text)) this.#untold.push(text);
    const known = this.#uses.get(place) ?? new Set();
    for (const constant of uses) known.add(constant);
    this.#uses.set(place, known);
  }

  /** What a comment above the endpoint says. */
  get untold(): readonly string[] {
    return this.#untold;
  }

  /** Lists the notes, with those of the components that are used. */
  list(): readonly Note[] {
    const found = [...this.#notes];
    for (const [place, uses] of this.#uses) {
      const seen = new Set<Constant>();
      const visit = (constant: Constant): void => {
        if (seen.has(constant)) return;
        seen.add(constant);
        for (const text of constant.written?.notes ?? []) found.push(note(place, text));
        for (const inner of constant.written?.uses ?? []) visit(inner);
      };
      for (const constant of uses) visit(constant);
    }
    return found;
  }
}
