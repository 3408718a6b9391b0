/** Makes dates of the strings at some places of a body, such as `data.users.*.createdAt`. */
export const reviveDates = (body: unknown, places: readonly string[]): unknown => {
  let revived = body;
  for (const place of places) revived = revive(revived, place.split("."));
  return revived;
};

const revive = (value: unknown, [key, ...rest]: readonly string[]): unknown => {
  if (key === undefined) return typeof value === "string" ? new Date(value) : value;
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const name of key === "*" ? Object.keys(record) : [key])
    if (Object.prototype.hasOwnProperty.call(record, name))
      record[name] = revive(record[name], rest);
  return record;
};
