import { expect, onTestFinished, test, vi } from "vitest";
import { memoryStore, type Claim } from "./idempotency-store.ts";

const toClaim = (key: string): Claim => ({ key, token: key, fingerprint: "" });

test("memoryStore keeps less than 64 MiB of replies, and remembers that older requests have run", async () => {
  const store = memoryStore();
  const body = "x".repeat(1_048_576);
  const keep = async (key: string): Promise<void> => {
    await store.claim(toClaim(key), 1000);
    await store.keep(toClaim(key), { status: 200, headers: {}, body }, 60_000);
  };
  for (let number = 0; number < 63; number++) await keep(String(number));
  // a reply that is kept again is the latest
  await keep("0");
  await keep("63");
  const statusOf = async (key: string): Promise<number | undefined> =>
    (await store.claim({ ...toClaim(key), token: "other" }, 1000))?.reply?.status;
  expect(await Promise.all(["0", "1", "2", "63"].map(statusOf))).toEqual([200, 0, 200, 200]);
});

test("memoryStore forgets the oldest of more than 50,000 requests that have ended, but none that runs", async () => {
  const store = memoryStore();
  await store.claim(toClaim("running"), 60_000);
  for (let number = 0; number <= 50_000; number++) {
    const claim = toClaim(String(number));
    await store.claim(claim, 60_000);
    await store.keep(claim, { status: 204, headers: {}, body: "" }, 60_000);
  }
  const find = (key: string) => store.claim({ ...toClaim(key), token: "other" }, 60_000);
  expect(await find("running")).toMatchObject({ token: "running" });
  expect(await find("1")).toMatchObject({ reply: { status: 204 } });
  expect(await find("0")).toBeUndefined();
});

test("memoryStore counts header fields, too", async () => {
  const store = memoryStore();
  const headers = { Link: "x".repeat(1_048_576) };
  for (let number = 0; number <= 64; number++) {
    const claim = toClaim(String(number));
    await store.claim(claim, 60_000);
    await store.keep(claim, { status: 200, headers, body: "" }, 60_000);
  }
  const statusOf = async (key: string) =>
    (await store.claim({ ...toClaim(key), token: "other" }, 60_000))?.reply?.status;
  expect([await statusOf("0"), await statusOf("64")]).toEqual([0, 200]);
});

test("memoryStore keeps a key for its time, whatever the clock on the wall shows", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = memoryStore();
  const claim = toClaim("a");
  const find = () => store.claim({ ...claim, token: "other" }, 1000);
  await store.claim(claim, 60_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(await find()).toMatchObject(claim);
  expect(await store.renew(claim, 60_000)).toBe(true);
  await store.keep(claim, { status: 204, headers: {}, body: "" }, 60_000);
  vi.setSystemTime(Date.now() - 7_200_000);
  vi.advanceTimersByTime(59_999);
  expect(await find()).toMatchObject({ reply: { status: 204 } });
  vi.advanceTimersByTime(1);
  expect(await find()).toBeUndefined();
});
