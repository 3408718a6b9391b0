/** A caller within the sources of this package, as it stands in a stack. */
const ofSources = /[\\/]src[\\/](?!.*\.test\.ts)/;

/**
 * Hides a member that Node sets on its objects from the sources of this package: they read `undefined`, and Node and
 * the tests what was set.
 *
 * @returns how many times the sources have looked for it
 */
export const hideFromSources = (prototype: object, name: string): (() => number) => {
  const values = new WeakMap<object, unknown>();
  let looks = 0;
  Object.defineProperty(prototype, name, {
    configurable: true,
    get(this: object): unknown {
      const [, , caller = ""] = (new Error("caller").stack ?? "").split("\n");
      if (!ofSources.test(caller)) return values.get(this);
      looks++;
      return undefined;
    },
    set(this: object, value: unknown) {
      values.set(this, value);
    },
  });
  return () => looks;
};
