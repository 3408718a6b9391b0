import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findWitness,
  isWithin,
  listInvalid,
  listTroubling,
  listValid,
  makeValues,
  type Json,
  type JsonObject,
} from "../src/index.ts";
import { toJudge, toSchema } from "./judge.ts";
import { pairs, schemas } from "./random-schemas.ts";

/** More of them, and others, are run with `RUNS=3000 SEED=7`. */
const options = {
  numRuns: Number(process.env["RUNS"] ?? 200),
  seed: Number(process.env["SEED"] ?? 1),
};

/** ajv reads the text of a number to find whether it is a multiple, and 1e+21 begins with a 1. */
const isJudged = (value: Json): boolean => !/\de\+/.test(JSON.stringify(value));

describe("values", () => {
  test("are judged by ajv as they are made", () => {
    const findWrong = (raw: JsonObject, seed: number): readonly Json[] => {
      const schema = toSchema(raw);
      const judge = toJudge(raw);
      const listed = [...listValid(schema), ...listTroubling(schema)].map(({ value }) => value);
      const valid = [
        ...makeValues(schema, { seed, count: 10 }),
        ...makeValues(schema, { seed, style: "plain" }),
        ...listed,
      ];
      const invalid = listInvalid(schema).map(({ value }) => value);
      return [
        ...valid.filter((value) => isJudged(value) && !judge(value)),
        ...invalid.filter(judge),
      ];
    };
    fc.assert(
      fc.property(schemas, fc.integer(), (raw, seed) => {
        expect(findWrong(raw, seed)).toEqual([]);
      }),
      options,
    );
  });

  test("a schema within another one has no value that ajv refuses there, and a witness is one", () => {
    const findWrong = (one: JsonObject, other: JsonObject, seed: number): readonly Json[] => {
      const [inner, outer] = [toSchema(one), toSchema(other)];
      const [judgeInner, judgeOuter] = [toJudge(one), toJudge(other)];
      const isBetween = (value: Json): boolean => judgeInner(value) && !judgeOuter(value);
      const witness = findWitness(inner, outer);
      const found = witness === undefined ? [] : [witness];
      return isWithin(inner, outer)
        ? [...found, ...makeValues(inner, { seed, count: 20 }).filter(isBetween)]
        : found.filter((value) => !isBetween(value));
    };
    fc.assert(
      fc.property(pairs, fc.integer(), ([one, other], seed) => {
        expect(findWrong(one, other, seed)).toEqual([]);
      }),
      options,
    );
  });
});
