import fc from "fast-check";
import type { Schema } from "../schema/schema.ts";

/** The numbers that a schema accepts, as multiples of a step from one to another; the step of fractions is zero. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly isWhole: boolean;
}

const safe = Number.MAX_SAFE_INTEGER;

/** Returns the numbers of a schema of which one type is of numbers; undefined if there are none. */
export const toRange = (schema: Schema): Range | undefined => {
  const { types = [], minimum = -Infinity, maximum = Infinity, openMinimum, openMaximum } = schema;
  const isWhole = !types.includes("number");
  const { multipleOf = 0 } = schema;
  const step = isWhole ? toWhole(multipleOf || 1) : multipleOf;
  // between numbers without a step, a millionth of the limit is near enough
  const gap = (limit: number): number => step || Math.max(Math.abs(limit) * 1e-6, 1e-6);
  const min = openMinimum ? minimum + gap(minimum) : minimum;
  const max = openMaximum ? maximum - gap(maximum) : maximum;
  const range = step
    ? {
        min: multiply(Math.ceil(fix(min / step)), step),
        max: multiply(Math.floor(fix(max / step)), step),
      }
    : { min, max };
  if (range.min <= range.max) return { ...range, step, isWhole };
  // an open range may be narrower than the gap
  const middle = (minimum + maximum) / 2;
  return step === 0 && minimum < maximum ? { min: middle, max: middle, step, isWhole } : undefined;
};

/** Returns the smallest multiple of a step that is an integer. */
const toWhole = (step: number): number => {
  for (let count = 1; count <= 10_000; count++)
    if (Number.isInteger(fix(step * count))) return fix(step * count);
  return step;
};

/** Removes the errors of fractions such as 0.1, and the sign of zero. */
const fix = (value: number): number => Number(value.toPrecision(14)) + 0;

const multiply = (count: number, step: number): number =>
  Number.isInteger(step) ? count * step + 0 : fix(count * step);

/** The smallest number that has all its digits: parts of smaller ones are lost. */
const tiny = 2.2250738585072014e-308;

/** Numbers beyond what integers or fractions of other languages hold, and those that parsers treat apart. */
const edges = [
  ...[0, 1, -1, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, safe, -safe, 2 ** 53, -(2 ** 63)],
  ...[1e21, 0.1, -0.5, 1e-7, tiny, 1.797e308],
];

/** Lists the limits of a range, and the numbers in it that are apart from others. */
export const listEdges = ({ min, max, step, isWhole }: Range): readonly number[] => {
  const near = [min, min + (step || 1), max - (step || 1), max];
  const all = [
    ...near,
    ...edges.map((one) => (step && step !== 1 ? multiply(Math.round(one / step), step) : one)),
  ];
  return [...new Set(all)].filter(
    (one) =>
      Number.isFinite(one) &&
      one >= min &&
      one <= max &&
      // larger integers lose digits in JavaScript, and in many readers of JSON
      (step === 0 || Math.abs(one) <= safe) &&
      (!isWhole || Number.isInteger(one)),
  );
};

/** Returns a usual number of a range: one if possible. */
export const toUsual = (range: Range): number => {
  const { min, max, step } = range;
  const wanted = step > 1 ? step : 1;
  if (wanted >= min && wanted <= max && (!step || Number.isInteger(fix(wanted / step))))
    return wanted;
  return min > 1 ? min : Number.isFinite(max) && max < 1 ? max : Math.max(min, 0);
};

/** @param isPlain whether usual numbers are wanted, such as an example shows them */
export const toNumbers = (schema: Schema, isPlain: boolean): fc.Arbitrary<number> | undefined => {
  const range = toRange(schema);
  if (!range) return undefined;
  const { min, max, step } = range;
  if (isPlain) return toPlain(range);
  if (step) {
    const first = Math.ceil(fix(Math.max(min, -safe) / step));
    const last = Math.floor(fix(Math.min(max, safe) / step));
    if (first > last) return fc.constant(toUsual(range));
    const counts = fc.integer({ min: first, max: last });
    return fc.oneof(
      counts.map((count) => multiply(count, step)),
      fc.constantFrom(...orOne(range)),
    );
  }
  const doubles = fc
    .double({ min, max, noNaN: true, noDefaultInfinity: true })
    .map((one) => (Math.abs(one) < tiny && min <= 0 && max >= 0 ? 0 : one + 0));
  return fc.oneof(doubles, fc.constantFrom(...orOne(range)));
};

const orOne = (range: Range): readonly number[] => {
  const found = listEdges(range);
  return found.length > 0 ? found : [toUsual(range)];
};

/** Usual numbers are between one and a hundred, or as near to that as possible. */
const toPlain = ({ min, max, step }: Range): fc.Arbitrary<number> => {
  const unit = step || 0.01;
  const width = unit * 100 > 100 ? unit * 100 : 100;
  const low = min > 1 ? min : max < 100 ? Math.max(min, max - width) : Math.max(min, 1);
  const high = Math.min(max, low + width);
  const [first, last] = [Math.ceil(fix(low / unit)), Math.floor(fix(high / unit))];
  if (first > last || !Number.isSafeInteger(first) || !Number.isSafeInteger(last))
    // a narrow range may have no shorter number
    return fc.constant(step ? fix(low) : low);
  return fc.noBias(fc.integer({ min: first, max: last })).map((count) => multiply(count, unit));
};
