type Json = Readonly<Record<string, unknown>>;

const toObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const resolve = (root: Json, value: unknown): Json => {
  const reference = toObject(value)["$ref"];
  if (typeof reference !== "string") return toObject(value);
  let target: unknown = root;
  for (const part of reference.slice(2).split("/"))
    target = toObject(target)[decodeURIComponent(part)];
  return resolve(root, target);
};

/** What says nothing about which values are accepted, or is said in several ways. */
const ignored = new Set([
  ...[
    "title",
    "description",
    "examples",
    "example",
    "discriminator",
    "default",
    "nullable",
    "type",
  ],
  ...[
    "readOnly",
    "contentEncoding",
    "contentMediaType",
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "const",
  ],
]);

const known = new Set(["date", "date-time", "uuid", "email", "uri"]);

const byText = (one: unknown, other: unknown): number =>
  JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;

const toText = (value: unknown): string => JSON.stringify(value);

type Direction = "input" | "output";

/** The levels of a recursive schema that are compared; its components may begin at different ones. */
const maxDepth = 5;

/** Describes a schema in one way, whichever words a document has for it. */
const toSchema = (root: Json, given: unknown, direction: Direction, depth = 0): unknown => {
  if (depth > maxDepth) return "deeper";
  const schema = resolve(root, given);
  const part = (value: unknown) => toSchema(root, value, direction, depth);
  const inner = (value: unknown) => toSchema(root, value, direction, depth + 1);
  const types = [schema["type"] ?? []].flat() as string[];
  const options = [...toList(schema["anyOf"]), ...toList(schema["oneOf"])].map(part);
  const isNull = (option: unknown) => {
    const { type, enum: values, isNullable } = toObject(option);
    // OpenAPI 3.0 has no type for null
    return (
      type === "null" ||
      (isNullable === true && toList(values).length === 0 && Array.isArray(values))
    );
  };
  const isNullable =
    schema["nullable"] === true ||
    (types.includes("null") && types.length > 1) ||
    options.some(isNull);
  const others = types.filter((type) => type !== "null" || types.length === 1);
  const kept = options.filter((option) => !isNull(option));
  let result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (ignored.has(key)) continue;
    if (key === "properties")
      result[key] = Object.fromEntries(
        Object.entries(toObject(value))
          .map(([name, field]) => [name, inner(field)])
          .sort(byText),
      );
    else if (key === "items" || key === "prefixItems") {
      if (value !== false) result[key] = Array.isArray(value) ? value.map(inner) : inner(value);
    } else if (key === "additionalProperties") {
      const more = Object.keys(toObject(value)).length > 0 ? inner(value) : undefined;
      if (more !== undefined) result[key] = more;
    } else if (key === "required") result[key] = [...toList(value)].sort(byText);
    else if (key === "enum") result[key] = toList(value).filter((one) => one !== null);
    else if (key === "pattern" && known.has(String(schema["format"]))) continue;
    else if (Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue;
    else result[key] = value;
  }
  // in an output, a field with a default is always there
  const filled = Object.entries(toObject(schema["properties"])).flatMap(([name, field]) =>
    direction === "output" && resolve(root, field)["default"] !== undefined ? [name] : [],
  );
  if (filled.length > 0)
    result["required"] = [...new Set([...toList(result["required"]), ...filled])].sort(byText);
  // flags of OpenAPI 3.0
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const)
    if (result[flag] === true) {
      result[flag] = result[limit];
      delete result[limit];
    }
  if (toList(result["required"]).length === 0) delete result["required"];
  if (schema["const"] !== undefined) result["enum"] = [schema["const"]];
  if (others.length === 1 && result["enum"] === undefined) result["type"] = others[0];
  if (others.length > 1) kept.push(...others.map((type) => ({ type })));
  for (const one of toList(schema["allOf"]).map(part)) result = merge(result, toObject(one));
  const [only] = kept;
  if (kept.length === 1) result = merge(result, toObject(only));
  else if (kept.length > 1) result["options"] = kept.map(toText).sort(byText);
  if (isNullable) result["isNullable"] = true;
  if (result["options"] !== undefined && result["type"] === "object") delete result["type"];
  if (Object.keys(toObject(result["properties"])).length === 0) delete result["properties"];
  return Object.fromEntries(
    Object.entries(result).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
};

const merge = (one: Json, other: Json): Record<string, unknown> => {
  const properties = { ...toObject(one["properties"]), ...toObject(other["properties"]) };
  const required = [...new Set([...toList(one["required"]), ...toList(other["required"])])].sort(
    byText,
  );
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && {
      properties: Object.fromEntries(Object.entries(properties).sort(byText)),
    }),
    ...(required.length > 0 && { required }),
  };
};

const toContent = (root: Json, content: unknown, direction: Direction) =>
  Object.fromEntries(
    Object.entries(toObject(content)).map(([type, media]) => [
      type,
      // bytes have no schema that is worth comparing
      /json|form/.test(type) ? toSchema(root, toObject(media)["schema"], direction) : "bytes",
    ]),
  );

const toSecurity = (root: Json, given: unknown) => {
  const schemes = toObject(toObject(root["components"])["securitySchemes"]);
  return toList(given)
    .map((one) =>
      Object.entries(toObject(one))
        .map(([name, scopes]) => {
          const { type, scheme, in: place, name: field, flows } = resolve(root, schemes[name]);
          const text = typeof field === "string" ? field.toLowerCase() : undefined;
          return toText({ type, scheme, place, text, flows: flows && Object.keys(flows), scopes });
        })
        .sort(byText),
    )
    .sort(byText);
};

/** Describes the operations of a document: parameters, body, statuses, bodies of successes and security. */
export const toOperations = (root: Json) =>
  Object.fromEntries(
    Object.entries(toObject(root["paths"])).flatMap(([path, item]) =>
      ["get", "post", "put", "patch", "delete"].flatMap((method) => {
        const operation = toObject(toObject(item)[method]);
        if (Object.keys(operation).length === 0) return [];
        const parameters = [
          ...toList(toObject(item)["parameters"]),
          ...toList(operation["parameters"]),
        ]
          .map((one) => resolve(root, one))
          .map(({ name, in: place, required, schema }) => ({
            key: `${String(place)} ${String(name).toLowerCase()}`,
            isRequired: required === true,
            schema: toSchema(root, schema, "input"),
          }))
          .sort((one, other) => (one.key < other.key ? -1 : 1));
        const responses = Object.entries(toObject(operation["responses"]));
        return [
          [
            // a slash at the end of a path is ignored
            `${method} ${path.replace(/(.)\/$/, "$1")}`,
            {
              parameters,
              body: toContent(root, resolve(root, operation["requestBody"])["content"], "input"),
              statuses: responses.map(([status]) => status),
              successes: Object.fromEntries(
                responses
                  .filter(([status]) => status.startsWith("2"))
                  .map(([status, one]) => [
                    status,
                    toContent(root, resolve(root, one)["content"], "output"),
                  ]),
              ),
              deprecated: operation["deprecated"] === true,
              tags: operation["tags"] ?? [],
              summary: operation["summary"],
              operationId: operation["operationId"],
              security: toSecurity(root, operation["security"] ?? root["security"]),
            },
          ] as const,
        ];
      }),
    ),
  );
