import { expect, test, vi } from "vitest";
import { toMethods } from "./guard-logger.ts";

const createWinston = () => {
  const error = vi.fn<(message: string, meta: unknown) => void>();
  const write = toMethods({ error, levels: {}, format: {}, transports: [] })("error");
  return { write: (meta: unknown) => write("said", meta), error };
};

/** Creates an error with a chain of the given number of causes. */
const createChain = (causes: number): Error =>
  new Error(`${causes} to go`, causes === 0 ? {} : { cause: createChain(causes - 1) });

test("writes an error, its code and five of its causes as values that JSON can represent", () => {
  const { write, error } = createWinston();
  write({ a: 1, error: Object.assign(createChain(7), { code: "E_OWN" }) });
  const [[, meta] = []] = error.mock.calls;
  expect(meta).toMatchObject({ a: 1, error: { name: "Error", code: "E_OWN" } });
  const said = [...JSON.stringify(meta).matchAll(/"message":"(\d)/g)].map(([, digit]) => digit);
  expect(said).toEqual(["7", "6", "5", "4", "3", "2"]);
});

test.each([undefined, null, 5, "text", { a: 1 }, { error: "text" }])(
  "leaves %j unchanged",
  (meta) => {
    const { write, error } = createWinston();
    write(meta);
    expect(error.mock.calls).toEqual([["said", meta]]);
  },
);

test("adds no `code` to an error that has none", () => {
  const { write, error } = createWinston();
  write(new Error("why"));
  const [[, meta] = []] = error.mock.calls;
  expect(Object.keys((meta as { error: object }).error)).toEqual(["name", "message", "stack"]);
});

test.each([
  ["bunyan", { addStream: () => undefined, fields: {}, streams: [] }],
  ["pino", { [Symbol.for("pino.serializers")]: {} }],
])("passes the object of a line, if there is one, to %s as the first argument", (_name, marks) => {
  const info = vi.fn();
  const write = toMethods({ info, ...marks })("info");
  const lines = [
    ["said"],
    ["said", null],
    ["said", 5],
    [{ a: 1 }, { b: 2 }],
    ["said", { a: 1 }, 2],
  ];
  for (const line of lines) write(...line);
  expect(info.mock.calls).toEqual([...lines.slice(0, -1), [{ a: 1 }, "said", 2]]);
});
