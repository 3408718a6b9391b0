import type { z } from "zod";
import { checksOf } from "./checks.ts";
import type { Random } from "./random.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const day = 86_400_000;
/** Dates are in the year after this one, so that they do not change with the clock. */
const firstDate = Date.UTC(2026, 0, 1);

/** The range that the checks of a schema allow; `step` is the distance to a bound that is excluded. */
const toBounds = (schema: z.core.$ZodType, step: number): Bounds => {
  const bound = (
    { value, inclusive }: { readonly value: unknown; readonly inclusive: boolean },
    sign: number,
  ) => Number(value) + (inclusive ? 0 : sign * step);
  return {
    min: Math.max(-Infinity, ...checksOf(schema, "greater_than").map((one) => bound(one, 1))),
    max: Math.min(Infinity, ...checksOf(schema, "less_than").map((one) => bound(one, -1))),
  };
};

/** The part of a range with usual values: from 1 to 100 if possible. */
const toUsual = ({ min, max }: Bounds, [low, high]: readonly [number, number]): Bounds => {
  if (min <= low && max >= high) return { min: low, max: high };
  const width = high - low;
  if (min > low) return { min, max: Math.min(max, min + width) };
  return { min: Math.max(min, max - width), max };
};

/** Yields numbers that a schema may accept. */
export function* numbers(schema: z.core.$ZodType, random: Random): Generator<number> {
  const formats = [
    ...checksOf(schema, "number_format").map(({ format }) => format),
    ...checksOf(schema, "bigint_format").map(() => "int64"),
  ];
  const steps = checksOf(schema, "multiple_of").map(({ value }) => Number(value));
  const isWhole = formats.some((format) => !format.startsWith("float"));
  // each value is a multiple of all steps if it is one of their product
  const scale = steps.reduce((product, step) => product * step, 1);
  const unit = steps.length > 0 ? scale : isWhole ? 1 : 0.01;
  const bounds = toBounds(schema, isWhole ? 1 : 0);
  const { min, max } = toUsual(bounds, [1, Math.max(100, unit * 10)]);
  const [first, last] = [Math.ceil(min / unit), Math.floor(max / unit)];
  if (first <= last)
    for (let attempt = 0; attempt < 20; attempt++)
      yield Number((random.int(first, last) * unit).toPrecision(12));
  // a range that is narrower than a hundredth
  yield (bounds.min + bounds.max) / 2;
  yield bounds.min;
  yield bounds.max;
  yield 0;
}

export const someDate = (random: Random): Date =>
  new Date(firstDate + random.int(0, 364 * 24 * 60 * 60) * 1000);

/** Yields dates that a schema may accept, in whole seconds. */
export function* dates(schema: z.core.$ZodType, random: Random): Generator<Date> {
  const bounds = toBounds(schema, 1);
  if (bounds.min <= firstDate && bounds.max >= firstDate + 366 * day) yield someDate(random);
  const { min, max } = toUsual(bounds, [firstDate, firstDate + 364 * day]);
  yield new Date(min);
  yield new Date(max);
}
