import { createHash } from "node:crypto";

/** Numbers that are the same for the same seed. */
export interface Random {
  /** A whole number, both ends included. */
  readonly int: (min: number, max: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** Returns numbers of their own for a part, which those for other parts do not change. */
  readonly fork: (name: string) => Random;
  /** As hexadecimal digits, 64 of them. */
  readonly hex: string;
}

export const createRandom = (seed: string): Random => {
  const digest = createHash("sha256").update(seed).digest();
  const hex = digest.toString("hex");
  let state = digest.readUInt32LE();
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    hex,
    pick: (items) => items[int(0, items.length - 1)] ?? items[0],
    fork: (name) => createRandom(`${hex} ${name}`),
  };
};
