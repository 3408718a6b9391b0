type Json = Readonly<Record<string, unknown>>;

const toObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const resolve = (root: Json, value: unknown): Json => {
  const reference = toObject(value)["$ref"];
  if (typeof reference !== "string") return toObject(value);
  let target: unknown = root;
  for (const part of reference.slice(2).split("/")) target = toObject(target)[decodeURIComponent(part)];
  return resolve(root, target);
};

/** What says nothing about which values are accepted, or is said in several ways. */
const ignored = new Set([
  ...["title", "description", "examples", "example", "discriminator", "default", "nullable", "type"],
  ...["readOnly", "contentEncoding", "contentMediaType", "$ref", "allOf", "anyOf", "oneOf", "const"],
]);

const known = new Set(["date", "date-time", "uuid", "email", "uri"]);

const toText = (value: unknown): string => JSON.stringify(value);

/** Describes a schema in one way, whichever words a document has for it. */
const toSchema = (root: Json, given: unknown, seen: readonly unknown[] = []): unknown => {
  const reference = toObject(given)["$ref"];
  const schema = resolve(root, given);
  // the name of a recursive schema may differ
  if (reference !== undefined && seen.includes(schema)) return "recursive";
  const inner = reference === undefined ? seen : [...seen, schema];
  const part = (value: unknown) => toSchema(root, value, inner);
  const types = [schema["type"] ?? []].flat() as string[];
  const options = [...toList(schema["anyOf"]), ...toList(schema["oneOf"])].map(part);
  const isNull = (option: unknown) => toObject(option)["type"] === "null";
  const isNullable =
    schema["nullable"] === true || (types.includes("null") && types.length > 1) || options.some(isNull);
  const others = types.filter((type) => type !== "null" || types.length === 1);
  const kept = options.filter((option) => !isNull(option));
  let result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (ignored.has(key)) continue;
    if (key === "properties")
      result[key] = Object.fromEntries(
        Object.entries(toObject(value)).map(([name, field]) => [name, part(field)]).sort(),
      );
    else if (key === "items" || key === "prefixItems")
      result[key] = Array.isArray(value) ? value.map(part) : part(value);
    else if (key === "additionalProperties") {
      const more = Object.keys(toObject(value)).length > 0 ? part(value) : undefined;
      if (more !== undefined) result[key] = more;
    } else if (key === "required") result[key] = [...toList(value)].sort();
    else if (key === "enum") result[key] = toList(value).filter((one) => one !== null);
    else if (key === "pattern" && known.has(String(schema["format"]))) continue;
    else if (Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue;
    else result[key] = value;
  }
  // flags of OpenAPI 3.0
  for (const [flag, limit] of [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]] as const)
    if (result[flag] === true) {
      result[flag] = result[limit];
      delete result[limit];
    }
  if (result["required"] instanceof Array && result["required"].length === 0) delete result["required"];
  if (schema["const"] !== undefined) result["enum"] = [schema["const"]];
  if (others.length === 1 && result["enum"] === undefined) result["type"] = others[0];
  if (others.length > 1) kept.push(...others.map((type) => ({ type })));
  for (const one of toList(schema["allOf"]).map(part)) result = merge(result, toObject(one));
  const [only] = kept;
  if (kept.length === 1) result = merge(result, toObject(only));
  else if (kept.length > 1) result["options"] = kept.map(toText).sort();
  if (isNullable) result["isNullable"] = true;
  return Object.fromEntries(Object.entries(result).sort(([one], [other]) => (one < other ? -1 : 1)));
};

const merge = (one: Json, other: Json): Record<string, unknown> => {
  const properties = { ...toObject(one["properties"]), ...toObject(other["properties"]) };
  const required = [...new Set([...toList(one["required"]), ...toList(other["required"])])].sort();
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && {
      properties: Object.fromEntries(Object.entries(properties).sort()),
    }),
    ...(required.length > 0 && { required }),
  };
};

const toContent = (root: Json, content: unknown) =>
  Object.fromEntries(
    Object.entries(toObject(content)).map(([type, media]) => [
      type,
      // bytes have no schema that is worth comparing
      /json|form/.test(type) ? toSchema(root, toObject(media)["schema"]) : "bytes",
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
        .sort(),
    )
    .sort();
};

/** Describes the operations of a document: parameters, body, statuses, bodies of successes and security. */
export const toOperations = (root: Json) =>
  Object.fromEntries(
    Object.entries(toObject(root["paths"])).flatMap(([path, item]) =>
      ["get", "post", "put", "patch", "delete"].flatMap((method) => {
        const operation = toObject(toObject(item)[method]);
        if (Object.keys(operation).length === 0) return [];
        const parameters = [...toList(toObject(item)["parameters"]), ...toList(operation["parameters"])]
          .map((one) => resolve(root, one))
          .map(({ name, in: place, required, schema }) => ({
            key: `${String(place)} ${String(name).toLowerCase()}`,
            isRequired: required === true,
            schema: toSchema(root, schema),
          }))
          .sort((one, other) => (one.key < other.key ? -1 : 1));
        const responses = Object.entries(toObject(operation["responses"]));
        return [
          [
            `${method} ${path}`,
            {
              parameters,
              body: toContent(root, resolve(root, operation["requestBody"])["content"]),
              statuses: responses.map(([status]) => status),
              successes: Object.fromEntries(
                responses
                  .filter(([status]) => status.startsWith("2"))
                  .map(([status, one]) => [status, toContent(root, resolve(root, one)["content"])]),
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
