import fc from "fast-check";
import { isWithin, makeValues, toView, type Json, type JsonObject } from "@sallyport/document";
import { describe, expect, test } from "vitest";
import { toJudge, toSchema } from "../../document/test/judge.ts";
import { pairs } from "../../document/test/random-schemas.ts";
import { asRequest, asResponse, compare } from "./lock-tools.ts";

/** More of them, and others, are run with `RUNS=3000 SEED=7`. */
const options = {
  numRuns: Number(process.env["RUNS"] ?? 150),
  seed: Number(process.env["SEED"] ?? 1),
};

/** Tells what ajv, a validator of others, finds wrong with the verdict about a schema of a request. */
const findWrong = (before: JsonObject, after: JsonObject, seed: number): readonly Json[] => {
  const [judgeBefore, judgeAfter] = [toJudge(before), toJudge(after)];
  const isRefused = (value: Json): boolean => judgeBefore(value) && !judgeAfter(value);
  const changes = compare(asRequest(before), asRequest(after));
  const breaking = changes.filter(({ level }) => level === "breaking");
  const [inner, outer] = [toSchema(before), toSchema(after)].map((one) => toView(one, "request"));
  if (!inner || !outer) return [];
  if (breaking.length === 0) return makeValues(inner, { seed, count: 30 }).filter(isRefused);
  return isWithin(inner, outer) ? breaking.map(({ rule }) => rule) : [];
};

describe("judged by ajv", () => {
  test("what does not break a request refuses no value, and what breaks it is not within", () => {
    fc.assert(
      fc.property(pairs, fc.integer(), ([one, other], seed) => {
        expect(findWrong(one, other, seed)).toEqual([]);
      }),
      options,
    );
  });

  test("a witness at the top of a message is accepted by the one side alone", () => {
    const listWrong = (one: JsonObject, other: JsonObject): readonly Json[] => {
      const [judgeOne, judgeOther] = [toJudge(one), toJudge(other)];
      const requests = compare(asRequest(one), asRequest(other));
      const responses = compare(asResponse(one), asResponse(other));
      const isTop = ({ path }: { readonly path: string }): boolean =>
        /(?:request|response 200)$/.test(path);
      return [
        ...requests
          .filter(isTop)
          .flatMap(({ witness }) =>
            witness === undefined || (judgeOne(witness) && !judgeOther(witness)) ? [] : [witness],
          ),
        ...responses
          .filter(isTop)
          .flatMap(({ witness }) =>
            witness === undefined || (judgeOther(witness) && !judgeOne(witness)) ? [] : [witness],
          ),
      ];
    };
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        expect(listWrong(one, other)).toEqual([]);
      }),
      options,
    );
  });
});
