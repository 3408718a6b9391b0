import type { OpenApiOperation, OpenApiOverride, OpenApiParameter } from "sallyport/openapi";

type Json = Readonly<Record<string, unknown>>;

/** What only the document says about an operation. */
export interface Extra {
  /** The fields of the body, which come from the query as well. */
  readonly fields?: readonly string[];
  /** The fields that are cookies. */
  readonly cookies?: readonly string[];
  /** The responses that have the same body as a 500, such as `default`. */
  readonly like?: readonly string[];
  /** Whether requests without credentials are allowed, too. */
  readonly isOptional?: boolean;
  /** What the body has in place of, or beside, what is written. */
  readonly body?: Json & { readonly type?: string; readonly schema?: Json; readonly media?: Json };
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly responses?: Json;
  /** Further members of the operation. */
  readonly more?: Json;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const merge = (value: unknown, more: unknown): unknown => {
  if (!isObject(value) || !isObject(more)) return more;
  const merged = Object.entries(more).map(([name, one]) => [
    name,
    Object.hasOwn(value, name) ? merge(value[name], one) : one,
  ]);
  return { ...value, ...Object.fromEntries(merged) };
};

/** Moves fields from the query to the body. */
const moveFields = (operation: OpenApiOperation, names: readonly string[], type: string): void => {
  const all = operation.parameters ?? [];
  const isMoved = ({ in: place, name }: OpenApiParameter) =>
    place === "query" && names.includes(name);
  const moved = all.filter(isMoved);
  // those of a body without a list of its fields
  const others = all.find(
    ({ name, style, in: place }) =>
      place === "query" && style === "form" && /^otherParameters_*$/.test(name),
  );
  operation.parameters = all.filter((one) => !isMoved(one) && one !== others);
  const properties = moved.map(({ name, schema, description, deprecated }) => [
    name,
    { ...schema, ...(description && { description }), ...(deprecated && { deprecated }) },
  ]);
  const required = moved.flatMap((one) => (one.required ? [one.name] : []));
  if (moved.length === 0 && !others) return;
  const { content = {} } = operation.requestBody ?? {};
  const [known = type] = Object.keys(content);
  const own = content[known]?.schema ?? { type: "object" };
  const schema = {
    ...own,
    ...others?.schema,
    properties: { ...(own["properties"] as Json), ...Object.fromEntries(properties) },
    ...(required.length > 0 && {
      required: [...((own["required"] as string[]) ?? []), ...required],
    }),
  };
  operation.requestBody = {
    ...operation.requestBody,
    required: (operation.requestBody?.required ?? false) || required.length > 0,
    content: { ...content, [known]: { ...content[known], schema } },
  };
};

const apply = (operation: OpenApiOperation, extra: Extra): OpenApiOperation => {
  const {
    fields,
    cookies = [],
    like = [],
    isOptional,
    body,
    parameters = {},
    responses,
    more,
  } = extra;
  if (fields) moveFields(operation, fields, body?.type ?? "application/json");
  const { type, schema, media, ...own } = body ?? {};
  const [known] = Object.keys(operation.requestBody?.content ?? {});
  if (known !== undefined && operation.requestBody) {
    const written = operation.requestBody.content[known];
    const content = { ...written, ...media, ...(schema && { schema }) };
    operation.requestBody.content = { ...operation.requestBody.content, [known]: content };
    if (type !== undefined) operation.requestBody.content = { [type]: content };
  }
  const failure = operation.responses?.["500"];
  const copies = failure && Object.fromEntries(like.map((status) => [status, failure]));
  operation.responses = { ...operation.responses, ...copies };
  const merged = merge(operation, {
    ...(body && { requestBody: own }),
    ...(responses && { responses }),
    ...more,
  }) as OpenApiOperation;
  if (merged.parameters)
    merged.parameters = merged.parameters.map((one) => {
      const isCookie = one.in === "query" && cookies.includes(one.name);
      const own = isCookie ? { ...one, in: "cookie" as const, style: "form" } : one;
      const name = own.in === "header" ? own.name.toLowerCase() : own.name;
      return merge(own, parameters[`${own.in} ${name}`] ?? {}) as OpenApiParameter;
    });
  if (isOptional) merged.security = [...(merged.security ?? []), {}];
  return merged;
};

/** Creates what adds to the operations of a document, by method and path. */
export const createOverride = (extras: Readonly<Record<string, Extra>>): OpenApiOverride => ({
  operation: ({ method, path, operation }) => {
    const key = `${method} ${path}`;
    return Object.hasOwn(extras, key) ? apply(operation, extras[key] ?? {}) : operation;
  },
});
