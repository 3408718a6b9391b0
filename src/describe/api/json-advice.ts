type Advice = Readonly<Partial<Record<string, string>>>;

const forInput: Advice = {
  bigint: "Use z.coerce.bigint(), which accepts strings and numbers",
  buffer:
    "Use ez.raw() for a body of bytes, ez.upload() for a file, or z.base64() for bytes in a string",
  date: "Use ez.dateIn(), which accepts ISO 8601 strings",
  dateOut: "Use ez.dateIn(); ez.dateOut() is for outputs",
  file: "Use ez.upload()",
  map: "Use z.record(), and .transform() to a Map",
  nan: "Use z.number() or z.null()",
  never: "Remove it, or add .optional() to forbid the key",
  stream: "Use it as the field `raw` of the input, or as the whole output",
  set: "Use z.array(), and .transform() to a Set",
  symbol: "Use z.enum()",
};

const forOutput: Advice = {
  bigint: "Send a string: add .transform(String).pipe(z.string())",
  dateIn: "Use ez.dateOut(); ez.dateIn() is for inputs",
  file: "Send the bytes of the file with your own result handler",
  map: "Send an object: add .transform((map) => Object.fromEntries(map)), and .pipe() to its schema",
  nan: "Use z.number().nullable(), and return null in place of NaN",
  never: "Remove it, or add .optional()",
  raw: "Send bytes with your own result handler, or as a base64 string; ez.raw() is for inputs",
  set: "Send an array: add .transform((set) => [...set]), and .pipe() to its schema",
  symbol: "Use z.enum()",
  upload: "Send the file's name, size or URL; ez.upload() is for inputs",
};

/** What to use in place of a kind of value that JSON cannot represent, in documents and in warnings. */
export const jsonAdvice = { input: forInput, output: forOutput } as const;

export const otherAdvice = "Use another type, or combine several types with z.union";
