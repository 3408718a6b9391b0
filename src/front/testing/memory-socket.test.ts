import { once } from "node:events";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { MemorySocket } from "./memory-socket.ts";

type Counting = Duplex & { readonly bytesRead: number; readonly bytesWritten: number };
const createPair = () => MemorySocket.createPair() as readonly [Counting, Counting];

test("each end reads what the other writes, and both count the bytes", async () => {
  const [near, far] = createPair();
  near.write("abc");
  near.end("de");
  expect(await text(far)).toBe("abcde");
  expect([near.bytesWritten, far.bytesRead, near.bytesRead]).toEqual([5, 5, 0]);
});

test("a reader that pauses holds back the writer", async () => {
  const [near, far] = createPair();
  const isTaken = near.write("x".repeat(1_000_000));
  const drained = once(near, "drain");
  expect(isTaken).toBe(false);
  far.resume();
  await drained;
});

test("destroying one end ends the other", async () => {
  const [near, far] = createPair();
  near.destroy();
  expect(await text(far)).toBe("");
});
