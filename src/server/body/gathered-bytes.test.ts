import fc from "fast-check";
import { expect, test } from "vitest";
import { GatheredBytes } from "./gathered-bytes.ts";
import { SmallPieces } from "./small-pieces.ts";

const pieces = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
    fc.integer({ min: 1, max: 5000 }).map((length) => new Uint8Array(length).fill(length)),
  ),
  { maxLength: 60 },
);
const toBuffers = (parts: readonly Uint8Array[]): Buffer[] =>
  parts.map((part) => Buffer.from(part));

test("returns the received bytes, whatever chunks they arrive in", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const bytes = new GatheredBytes(Buffer.from("first"));
      for (const part of toBuffers(parts)) bytes.add(part);
      const all = Buffer.concat([Buffer.from("first"), ...parts]);
      expect(bytes.size).toBe(all.length);
      expect(bytes.concat().equals(all)).toBe(true);
    }),
  );
});

test("copies small chunks instead of keeping them", () => {
  const bytes = new GatheredBytes(Buffer.from("a"));
  const parts = Array.from({ length: 39_999 }, () => Buffer.from("a"));
  for (const part of parts) bytes.add(part);
  for (const part of parts) part.fill("b");
  expect(bytes.concat().toString()).toBe("a".repeat(40_000));
});

test.each([
  [1023, "a"],
  [1024, "b"],
])("copies a chunk of %i bytes only if it is smaller than 1 KiB", (length, letter) => {
  const bytes = new GatheredBytes(Buffer.from("a"));
  const piece = Buffer.alloc(length, "a");
  bytes.add(piece);
  piece.fill("b");
  expect(bytes.concat().toString()).toBe(`a${letter.repeat(length)}`);
});

test("joins small chunks, and keeps them in order with large ones", async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const passed: Buffer[] = [];
      const small = new SmallPieces((piece) => passed.push(Buffer.from(piece)));
      for (const part of toBuffers(parts)) small.add(part);
      await new Promise((resolve) => setImmediate(resolve));
      expect(Buffer.concat(passed).equals(Buffer.concat(parts))).toBe(true);
    }),
  );
  const passed: number[] = [];
  const small = new SmallPieces((piece) => passed.push(piece.length));
  for (let count = 0; count < 100_000; count++) small.add(Buffer.from("a"));
  small.flush();
  expect(passed.length).toBeLessThan(10);
  expect(passed.reduce((sum, length) => sum + length)).toBe(100_000);
});

test("does not pass on chunks that were dropped", async () => {
  const passed: Buffer[] = [];
  const small = new SmallPieces((piece) => passed.push(piece));
  small.add(Buffer.from("a"));
  small.forget();
  await new Promise((resolve) => setImmediate(resolve));
  small.flush();
  expect(passed).toEqual([]);
});
