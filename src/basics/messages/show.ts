const maxLength = 60;

/** Formats a value of any kind for a message, in a few words. */
export const show = (value: unknown): string => {
  if (typeof value === "object" && value !== null)
    return Array.isArray(value) ? showArray(value) : showObject(value);
  return showPlain(value);
};

const showArray = (values: readonly unknown[]): string => {
  const shown = values.slice(0, 5).map(showElement);
  return `[${[...shown, ...(values.length > shown.length ? ["..."] : [])].join(", ")}]`;
};

const showElement = (value: unknown): string => {
  if (Array.isArray(value)) return "[...]";
  return typeof value === "object" && value !== null ? "{ ... }" : showPlain(value);
};

const showObject = (value: object): string => {
  if ("_zod" in value) return "a Zod schema";
  const prototype: unknown = Object.getPrototypeOf(value);
  // a plain object from another realm has a different `Object`, so the names are compared
  const name = prototype === null ? "Object" : readName(value);
  if (name !== "Object") return `an object of class ${name}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "{}";
  return `an object with ${keys.slice(0, 5).join(", ")}${keys.length > 5 ? ", ..." : ""}`;
};

const readName = (value: object): string => {
  const { constructor } = value as { readonly constructor?: { readonly name?: unknown } };
  return typeof constructor?.name === "string" && constructor.name !== ""
    ? constructor.name
    : "unknown";
};

const showPlain = (value: unknown): string => {
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > maxLength ? `${value.slice(0, maxLength)}...` : value);
};
