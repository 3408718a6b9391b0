/** Puts a prefix before each name of an object. */
export const prefix = <Key extends string, Name extends string, Value>(
  key: Key,
  values: Readonly<Record<Name, Value>>,
): Readonly<Record<`${Key}-${Name}`, Value>> =>
  // the compiler does not follow the names through the entries
  Object.fromEntries(
    Object.entries<Value>(values).map(([name, value]) => [`${key}-${name}`, value]),
  ) as Record<`${Key}-${Name}`, Value>;
