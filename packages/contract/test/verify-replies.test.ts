import { expect, test } from "vitest";
import { checkAnyReply } from "../src/verify/check-any-reply.ts";
import { receive } from "../src/verify/received.ts";

const listChecks = async (body: string | Uint8Array<ArrayBuffer>, type: string, status = 200) => {
  const response = new Response(body, { status, headers: { "content-type": type } });
  return checkAnyReply(await receive(response, 100)).map(({ check }) => check);
};

test.each([
  "Error: No\n    at Object.<anonymous> (/srv/api.js:12:3)",
  "    at async file:///srv/src/api.ts:12:3",
  String.raw`    at read (C:\srv\api.js:12:3)`,
  'Traceback (most recent call last):\n  File "/srv/app.py", line 3',
  "\tat org.shop.Orders.read(Orders.java:42)",
  "   at Shop.Orders.Read(String id) in /srv/Orders.cs:line 42",
])("a stack trace is found in %j", async (trace) => {
  expect(await listChecks(trace, "text/plain", 400)).toEqual(["stack_trace"]);
  expect(await listChecks(JSON.stringify({ trace }), "application/json")).toEqual(["stack_trace"]);
});

test.each([
  "We meet at 12:30:45 (at the office)",
  "It began at 2025-01-31T12:00:00Z",
  "Look at https://example.com:8080/a:1",
  "at /srv/files",
])("none is found in %j", async (text) => {
  expect(await listChecks(text, "text/plain", 400)).toEqual([]);
});

test("the path of a module is only looked for in errors", async () => {
  const text = "see node_modules/zod/README.md";
  expect(await listChecks(text, "text/markdown")).toEqual([]);
  expect(await listChecks(text, "text/plain", 404)).toEqual(["stack_trace"]);
});

test("text is UTF-8, and says nothing else", async () => {
  const latin = Uint8Array.of(0x4b, 0xe4, 0x73, 0x65);
  expect(await listChecks(latin, "text/csv")).toEqual(["charset"]);
  expect(await listChecks(latin, "image/png")).toEqual([]);
  expect(await listChecks("Käse", "text/csv; charset=UTF-8")).toEqual([]);
  expect(await listChecks("Tea", 'text/csv; header=present; charset="latin1"')).toEqual([
    "charset",
  ]);
});
