/** A pattern for the lines of a stack trace that point to the sources of this package. */
const ofSources = /[\\/]src[\\/](?!.*\.test\.ts)/;

/** Checks whether the function that calls this one was called by the sources of this package. */
export const isCalledBySources = (): boolean => {
  const [, , , caller = ""] = (new Error("caller").stack ?? "").split("\n");
  return ofSources.test(caller);
};

/**
 * Hides a member of an object, and of all objects that inherit from it, from the sources of this package: these sources
 * read `undefined`, and other code reads the real value.
 * @returns a function that returns how often the sources have read the member
 */
export const hideFromSources = (object: object, name: string): (() => number) => {
  const values = new WeakMap<object, unknown>();
  const own = Object.getOwnPropertyDescriptor(object, name);
  let looks = 0;
  Object.defineProperty(object, name, {
    configurable: true,
    get(this: object): unknown {
      if (isCalledBySources()) {
        looks++;
        return undefined;
      }
      if (values.has(this)) return values.get(this);
      if (own) return own.get ? own.get.call(this) : (own.value as unknown);
      return Reflect.get(Object.getPrototypeOf(object) as object, name, this);
    },
    set(this: object, value: unknown) {
      values.set(this, value);
    },
  });
  return () => looks;
};
