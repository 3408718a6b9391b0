import { defaultEndpointsFactory as factory, type ServerConfig } from "sallyport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { errorEnvelope, start, type Answer } from "../harness.ts";

afterEach(() => void vi.restoreAllMocks());

const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** Sends a body to an endpoint that accepts an array, counts the checked elements, and returns the response. */
const post = async (type: string, body: string, config: Partial<ServerConfig> = {}) => {
  let checked = 0;
  const element = z.custom<number>((value) => {
    checked++;
    return typeof value === "number";
  });
  const endpoint = factory.build({
    method: "post",
    input: z.object({ list: z.array(element) }),
    handler: ({ input }) => ({ length: input.list.length }),
  });
  const server = await start({ a: endpoint }, config);
  const sent = { method: "POST", headers: { "content-type": type }, body };
  const answer: Answer = await server.send("/a", sent);
  return { answer, checked };
};

// these tests do not measure time: disproportionate work shows up in a count, or takes forever
describe("S7: the work for the worst requests is bounded", () => {
  test.each([
    ["of arrays", "[".repeat(500_000)],
    ["of objects", `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`],
  ])("a deep body %s is rejected before it is parsed", async (_name, body) => {
    const parse = vi.spyOn(JSON, "parse");
    const { answer } = await post(json, body);
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
    expect([answer.status, answer.json()]).toEqual([400, errorEnvelope("Body nested too deeply")]);
  });

  test.each([
    ["only the last is wrong", "1,"],
    ["all are wrong", '"",'],
  ])("each element is checked once when %s", async (_name, element) => {
    const { answer, checked } = await post(json, `{"list":[${element.repeat(19_998)}""]}`);
    expect([answer.status, checked]).toEqual([400, 19_999]);
    expect(answer.text.length).toBeLessThan(8192);
  });

  test.each([
    ["numbers", "1,"],
    ["wrong values", '"",'],
    ["arrays", "[],"],
    ["objects", '{"a":1},'],
  ])("a body of too many %s is rejected before it is parsed", async (_name, element) => {
    const parse = vi.spyOn(JSON, "parse");
    const body = `{"list":[${element.repeat(19_999)}1]}`;
    const { answer, checked } = await post(json, body);
    expect(parse.mock.calls.filter(([text]) => text === body)).toEqual([]);
    const message = "The body has more values than `bodyLimit.values` allows";
    expect([answer.status, answer.json(), checked]).toEqual([413, errorEnvelope(message), 0]);
  });

  const large = { bodyLimit: { bytes: 8 * 1024 * 1024, values: 1_000_000 } };
  test.each([
    ["keys", `{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join()}}`],
    ["escapes", `{"list":"${String.raw`\u005f`.repeat(600_000)}"}`],
    ["escaped keys", `{${String.raw`"\u005f_prot":1,`.repeat(200_000)}"a":1}`],
    ["strings with brackets", `{"list":["${String.raw`\"[{`.repeat(500_000)}"]}`],
    ["spaces", `{"list":${" ".repeat(4_000_000)}""}`],
  ])("JSON with a lot of %s takes time proportional to its length", async (_name, body) => {
    const { answer } = await post(json, body, large);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('"path":["list"');
  });

  test.each([
    ["fields", "a=1&".repeat(1_000_000), 413],
    ["fields of one name", `${"list=&".repeat(999)}list=`, 400],
    ["escapes", `list=${"%41".repeat(1_500_000)}`, 400],
    ["leading spaces", `${" ".repeat(4_000_000)}a=1`, 400],
  ])(
    "a form with a lot of %s takes time proportional to its length",
    async (_name, body, status) => {
      expect((await post(form, body, large)).answer.status).toBe(status);
    },
  );
});
