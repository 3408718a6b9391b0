/**
 * Copies the own properties of an object onto another one. `__proto__` is left out, because a value sent by a client
 * could otherwise become a prototype.
 */
export const copyOwn = (target: Record<string, unknown>, source: object): void => {
  // `Object.entries` would allocate a pair for each property
  for (const key of Object.keys(source))
    if (key !== "__proto__") target[key] = (source as Record<string, unknown>)[key];
};
