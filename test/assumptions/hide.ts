/** A caller within the sources of this package, as it stands in a stack. */
const ofSources = /[\\/]src[\\/](?!.*\.test\.ts)/;

/** Checks whether the sources of this package have called the function that calls this one. */
export const isCalledBySources = (): boolean => {
  const [, , , caller = ""] = (new Error("caller").stack ?? "").split("\n");
  return ofSources.test(caller);
};

/**
 * Hides a member that Node sets on its objects from the sources of this package: they read `undefined`, and Node and
 * the tests what was set.
 *
 * @returns how many times the sources have looked for it
 */
export const hideFromSources = (prototype: object, name: string): (() => number) => {
  const values = new WeakMap<object, unknown>();
  const inherited: unknown = Reflect.get(prototype, name);
  let looks = 0;
  Object.defineProperty(prototype, name, {
    configurable: true,
    get(this: object): unknown {
      if (!isCalledBySources()) return values.has(this) ? values.get(this) : inherited;
      looks++;
      return undefined;
    },
    set(this: object, value: unknown) {
      values.set(this, value);
    },
  });
  return () => looks;
};
