/**
 * Copies the own properties of an object onto another one.
 *
 * `__proto__` is left out: as a name from outside it would otherwise become a prototype further on.
 */
export const copyOwn = (target: Record<string, unknown>, source: object): void => {
  for (const [key, value] of Object.entries(source))
    if (key !== "__proto__") target[key] = value;
};
