import { z } from "zod";
import type { Random } from "../conformance/random.ts";
import { kinds } from "./kinds.ts";

/** Kinds that check more than their JSON Schema says, or that are possible only as fields. */
const unfit: ReadonlySet<string> = new Set(["catch", "piped", "optional", "described"]);
const leaves: readonly z.ZodType[] = Object.entries(kinds).flatMap(([name, schema]) =>
  unfit.has(name) ? [] : [schema],
);

/** Generates random schemas from the kinds of the torture routing. */
export class RandomSchemas {
  readonly #random: Random;
  #named = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  make(depth = 0): z.ZodType {
    const random = this.#random;
    const inner = (): z.ZodType => this.make(depth + 1);
    const object = (): z.ZodObject => this.#object(depth + 1);
    if (depth > 3) return random.pick(leaves);
    return random.pick<() => z.ZodType>([
      () => z.array(inner()).max(3),
      () => z.tuple([inner(), inner()]),
      () => z.record(z.string(), inner()),
      () => z.record(z.enum(["one", "two"]), inner()),
      () => z.union([inner(), inner()]),
      () => this.#discriminated(depth + 1),
      // stripped, because a loose side would keep the fields of the other side, and the two results could not be merged
      () =>
        object()
          .strip()
          .and(z.object({ own: random.pick(leaves) })),
      () => object().partial(),
      () => inner().nullable(),
      object,
      () => random.pick(leaves),
    ])();
  }

  #object(depth: number): z.ZodObject {
    const random = this.#random;
    const shape: Record<string, z.ZodType> = {};
    for (let count = random.integer(1, 3); count > 0; count--) {
      const field = this.make(depth + 1);
      shape[random.pick(["a", "b", "c", "d"])] = random.pick([
        ...[field, field, field, field.optional(), field.nullable(), field.nullish()],
      ]);
    }
    const object = random.pick([z.object(shape), z.strictObject(shape), z.looseObject(shape)]);
    return this.#name(object);
  }

  #discriminated(depth: number): z.ZodType {
    const toOption = (at: number) =>
      this.#name(this.#object(depth).extend({ tag: z.literal(`t${at}`) }));
    const count = this.#random.integer(0, 2);
    const others = Array.from({ length: count }, (_none, at) => toOption(at + 1));
    return this.#name(z.discriminatedUnion("tag", [toOption(0), ...others]));
  }

  #name<T extends z.ZodType>(schema: T): T {
    if (!this.#random.chance(0.2)) return schema;
    return schema.meta({ id: `Named${++this.#named}` });
  }
}
