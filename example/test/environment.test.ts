import { expect, test } from "vitest";
import { readEnvironment } from "../src/environment.ts";

test("without variables, the shop needs nothing", () => {
  const { PORT, DATABASE_URL, REDIS_URL, PAYMENT_URL } = readEnvironment({});
  expect([PORT, DATABASE_URL, REDIS_URL, PAYMENT_URL]).toEqual([8090, ...Array(3).fill(undefined)]);
});

test("an error names each variable that is wrong", () => {
  const variables = { PORT: "http", DATABASE_URL: "mysql://a", LOG_LEVEL: "loud", REDIS_URL: "" };
  expect(() => readEnvironment(variables)).toThrow(/PORT: [^]*LOG_LEVEL: [^]*DATABASE_URL: /);
  expect(() => readEnvironment(variables)).not.toThrow(/REDIS_URL/);
});

test("production needs a secret of its own, and so does a payment provider", () => {
  expect(() => readEnvironment({ NODE_ENV: "production" })).toThrow(
    /SESSION_SECRET: Required in production/,
  );
  const secret = "x".repeat(32);
  const own = { NODE_ENV: "production", SESSION_SECRET: secret };
  expect(() => readEnvironment(own)).toThrow(/ADMIN_PASSWORD: Required in production/);
  const variables = { PAYMENT_URL: "https://pay.example", SESSION_SECRET: secret };
  expect(() => readEnvironment(variables)).toThrow(/PAYMENT_SECRET: Required with PAYMENT_URL/);
  expect(readEnvironment({ ...variables, PAYMENT_SECRET: secret }).PAYMENT_SECRET).toBe(secret);
});
