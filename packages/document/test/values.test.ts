import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findWitness,
  isWithin,
  listInvalid,
  listTroubling,
  listValid,
  makeValues,
} from "../src/index.ts";
import { toJudge, toSchema } from "./judge.ts";
import { pairs, schemas } from "./random-schemas.ts";

/** More of them, and others, are run with `RUNS=3000 SEED=7`. */
const options = {
  numRuns: Number(process.env["RUNS"] ?? 200),
  seed: Number(process.env["SEED"] ?? 1),
};

describe("values", () => {
  test("are judged by ajv as they are made", () => {
    fc.assert(
      fc.property(schemas, fc.integer(), (raw, seed) => {
        const schema = toSchema(raw);
        const judge = toJudge(raw);
        const made = [
          ...makeValues(schema, { seed, count: 10 }),
          ...makeValues(schema, { seed, style: "plain" }),
        ];
        const listed = [...listValid(schema), ...listTroubling(schema)].map(({ value }) => value);
        for (const value of [...made, ...listed])
          if (!judge(value)) expect([raw, value]).toBe("valid");
        for (const { value } of listInvalid(schema))
          if (judge(value)) expect([raw, value]).toBe("invalid");
      }),
      options,
    );
  });

  test("a schema within another one has no value that ajv refuses there, and a witness is one", () => {
    fc.assert(
      fc.property(pairs, fc.integer(), ([one, other], seed) => {
        const [inner, outer] = [toSchema(one), toSchema(other)];
        const [judgeInner, judgeOuter] = [toJudge(one), toJudge(other)];
        const witness = findWitness(inner, outer);
        if (isWithin(inner, outer)) {
          if (witness !== undefined) expect([one, other, witness]).toBe("within");
          for (const value of makeValues(inner, { seed, count: 20 }))
            if (judgeInner(value) && !judgeOuter(value)) expect([one, other, value]).toBe("within");
        } else if (witness !== undefined)
          expect(
            [judgeInner(witness), judgeOuter(witness)],
            JSON.stringify([one, other, witness]),
          ).toEqual([true, false]);
      }),
      options,
    );
  });
});
