import {
  accepts,
  isObject,
  listInvalid,
  listTroubling,
  listValid,
  toText,
  type Schema,
} from "@sallyport/document";
import { isForm, isJsonType } from "./body-type.ts";
import { canCarryAt, Malformed, type Call, type CallBody, type Fields } from "./call.ts";
import type { CheckName } from "./check.ts";
import type { Operation, Parameter } from "./operation.ts";
import { toFiles, toSentForm } from "./form-fields.ts";

/** A call with what its reply must be. */
export interface Case {
  readonly call: Call;
  /** Whether the call keeps to the document, breaks it, or only has to be answered as declared. */
  readonly kind: "positive" | "negative" | "neutral";
  readonly label: string;
  /** The check that fails if a negative call succeeds. */
  readonly check: CheckName;
  /** The field that the call is about, which must stay; undefined if all of it must. */
  readonly focus?: Focus | undefined;
}

export interface Focus {
  readonly place: "path" | "query" | "header" | "cookie" | "body";
  readonly name: string;
}

type Part = "path" | "query" | "header" | "cookie";

/** Returns why no call can be built from the document and the fields; undefined if one can. */
export const findMissing = (call: Call): string | undefined => {
  const { operation } = call;
  const missing = operation.parameters.find(
    (one) =>
      one.isRequired &&
      call[one.in][fieldName(one)] === undefined &&
      !hasCredential(one, call.credentials),
  );
  if (missing) return missing.name;
  return operation.isBodyRequired && !call.body ? "the body" : undefined;
};

const fieldName = ({ name, in: place }: Parameter): string =>
  place === "header" ? name.toLowerCase() : name;

/** Builds the smallest call that the document allows, with the fields of a fixture. */
export const toBaseCall = (
  operation: Operation,
  fields: Fields,
  credentials: Call["credentials"],
): Call => {
  const parts: Record<Part, Record<string, unknown>> = {
    path: {},
    query: {},
    header: {},
    cookie: {},
  };
  const used = new Set<string>();
  for (const parameter of operation.parameters) {
    const { name, in: place, isRequired, schema } = parameter;
    if (Object.hasOwn(fields, name)) {
      used.add(name);
      parts[place][fieldName(parameter)] = fields[name];
      continue;
    }
    if (!isRequired || hasCredential(parameter, credentials)) continue;
    const value = isTag(parameter)
      ? "*"
      : isKey(parameter)
        ? newKey
        : listValid(schema).find((one) => canCarryAt(parameter, one.value))?.value;
    if (value !== undefined) parts[place][fieldName(parameter)] = value;
  }
  const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !used.has(name)));
  return { operation, ...parts, body: toBaseBody(operation, others), credentials };
};

export const hasCredential = (
  { in: place, name }: Parameter,
  credentials: Call["credentials"],
): boolean =>
  (place === "header" && name.toLowerCase() in credentials) ||
  (place === "query" && `?${name}` in credentials);

const isTag = ({ in: place, name }: Parameter): boolean =>
  place === "header" && name.toLowerCase() === "if-match";

const isKey = ({ in: place, name }: Parameter): boolean =>
  place === "header" && name.toLowerCase() === "idempotency-key";

/** The value that stands for a new key for each request. */
export const newKey = "new-key";

const toBaseBody = (
  { body, isBodyRequired }: Operation,
  fields: Fields,
  wanted?: string,
): CallBody | undefined => {
  const [type, schema] =
    Object.entries(body ?? {}).find(([one]) => wanted === undefined || one === wanted) ?? [];
  if (type === undefined || !schema) return undefined;
  if (!isJsonType(type) && !isForm(type)) {
    const value = fields["raw"] ?? listValid(schema)[0]?.value;
    return value === undefined ? undefined : { type, value: toText(value) };
  }
  const hasFields = Object.keys(fields).length > 0;
  if (!isBodyRequired && !hasFields && wanted === undefined) return undefined;
  const found = listValid(schema).find(({ value }) => !hasFields || typeof value === "object");
  // required fields may have no known value, but stand in the fixture
  const value = found ? found.value : hasFields ? {} : undefined;
  if (value === undefined) return undefined;
  const all = isObject(value) ? { ...value, ...fields } : value;
  return { type, value: isForm(type) ? toFiles(all as Fields, schema) : all };
};

/** Whether generated values of a parameter could not mean anything. */
const isOpaque = (parameter: Parameter): boolean =>
  parameter.isOthers ||
  (parameter.in === "query" && parameter.name === "cursor") ||
  (parameter.in === "header" &&
    ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"].includes(
      parameter.name.toLowerCase(),
    ));

/** Lists the parameters whose values are to be tried. */
export const listTried = ({ parameters }: Operation): readonly Parameter[] =>
  parameters.filter((one) => !isOpaque(one));

export const withField = (call: Call, place: Part, name: string, value: unknown): Call => ({
  ...call,
  [place]: { ...call[place], [name]: value },
});

const withoutField = (call: Call, place: Part, name: string): Call => {
  const { [name]: _left, ...rest } = call[place];
  return { ...call, [place]: rest };
};

/** A long URL or header field is refused by servers, and by what is before them. */
const isShort = (value: unknown): boolean => toText(value).length <= 2000;

/** Returns the values of a parameter that its place can carry. */
const carried = (parameter: Parameter, kind: "valid" | "invalid"): ReturnType<typeof listValid> => {
  const { schema } = parameter;
  return (kind === "valid" ? listValid : listInvalid)(schema).filter(
    ({ value }) =>
      isShort(value) &&
      canCarryAt(parameter, value) &&
      // text may mean what the value itself does not
      (kind === "valid" || !(accepts(schema, toText(value)) || accepts(schema, [value]))),
  );
};

export const listCases = (base: Call, fields: Fields): readonly Case[] => [
  { call: base, kind: "positive", label: "the smallest call", check: "positive_data_acceptance" },
  ...base.operation.parameters.flatMap((one) => listParameterCases(base, one, fields)),
  ...listBodyCases(base, fields),
];

const listParameterCases = (base: Call, parameter: Parameter, fields: Fields): readonly Case[] => {
  const { name: shown, in: place, isRequired } = parameter;
  const name = fieldName(parameter);
  const focus = { place, name };
  if (hasCredential(parameter, base.credentials)) return [];
  const isGiven = Object.hasOwn(fields, shown);
  const missing: readonly Case[] =
    isRequired && place !== "path"
      ? [
          {
            call: withoutField(base, place, name),
            kind: "negative",
            label: `without ${shown}`,
            check: place === "header" ? "missing_required_header" : "negative_data_rejection",
            focus,
          },
        ]
      : [];
  if (isOpaque(parameter)) return missing;
  const hard = isGiven
    ? []
    : listTroubling(parameter.schema).filter(
        ({ value }) => isShort(value) && canCarryAt(parameter, value),
      );
  const positives = [...carried(parameter, "valid"), ...hard]
    .filter(({ value }) => value !== base[place][name] && name !== "idempotency-key")
    .map(({ label, value }): Case => ({
      call: withField(base, place, name, value),
      // only the fixture knows which values mean something
      kind: isGiven ? "neutral" : "positive",
      label: `${shown}: ${label}`,
      check: "positive_data_acceptance",
      focus,
    }));
  const negatives = carried(parameter, "invalid").map(({ label, value }): Case => ({
    call: withField(base, place, name, value),
    kind: "negative",
    label: `${shown}: ${label}`,
    check: "negative_data_rejection",
    focus,
  }));
  return [...positives, ...negatives, ...missing];
};

const listBodyCases = (base: Call, fields: Fields): readonly Case[] => {
  const { operation } = base;
  const own = Object.fromEntries(
    Object.entries(fields).filter(
      ([name]) => !operation.parameters.some((parameter) => parameter.name === name),
    ),
  );
  return Object.entries(operation.body ?? {}).flatMap(([type, schema]) => {
    const body = toBaseBody(operation, own, type);
    if (!body) return [];
    const whole: readonly Case[] =
      base.body && base.body.type === type
        ? []
        : [
            {
              call: { ...base, body },
              kind: "positive",
              label: `a body as ${type}`,
              check: "positive_data_acceptance",
            },
          ];
    return [...whole, ...listValues({ ...base, body }, body, schema, own)];
  });
};

const listValues = (base: Call, body: CallBody, schema: Schema, own: Fields): readonly Case[] => {
  const { type, value: whole } = body;
  const { isBodyRequired } = base.operation;
  const withValue = (value: unknown): Call => ({ ...base, body: { type, value } });
  const missing: readonly Case[] = isBodyRequired
    ? [
        {
          call: { ...base, body: undefined },
          kind: "negative",
          label: "without a body",
          check: "negative_data_rejection",
        },
      ]
    : [];
  if (!isJsonType(type) && !isForm(type)) {
    const isGiven = Object.hasOwn(own, "raw");
    return [
      ...missing,
      ...listValid(schema)
        .slice(1)
        .map(({ label, value }): Case => ({
          call: withValue(toText(value)),
          // a schema of text does not say which text means something
          kind: isGiven || typeof value === "string" ? "neutral" : "positive",
          label: `the body: ${label}`,
          check: "positive_data_acceptance",
        })),
    ];
  }
  const isFields = isObject(whole);
  const toCases = (kind: "valid" | "invalid"): readonly Case[] =>
    (kind === "valid"
      ? [...listValid(schema), ...listTroubling(schema)]
      : listInvalid(schema)
    ).flatMap(({ label, value }) => {
      if (isForm(type) && !isObject(value)) return [];
      const field = toField(label, value);
      // a fixture has what a field must be
      const isGiven = field !== undefined && Object.hasOwn(own, field);
      if (kind === "valid" && isGiven) return [];
      const full = isFields && isObject(value) ? { ...value, ...omit(own, field) } : value;
      const sent = isForm(type) ? toSentForm(full as Fields, schema, kind) : full;
      if (sent === undefined) return [];
      return [
        {
          call: withValue(sent),
          kind: kind === "valid" ? "positive" : "negative",
          label: `the body: ${label}`,
          check: kind === "valid" ? "positive_data_acceptance" : "negative_data_rejection",
          focus: field === undefined ? undefined : { place: "body", name: field },
        } satisfies Case,
      ];
    });
  const malformed: readonly Case[] = isJsonType(type)
    ? [
        {
          call: withValue(new Malformed("{")),
          kind: "negative",
          label: "malformed JSON",
          check: "negative_data_rejection",
        },
      ]
    : [];
  return [...toCases("valid").slice(1), ...toCases("invalid"), ...missing, ...malformed];
};

/** Returns the field that a sample of an object is about. */
const toField = (label: string, value: unknown): string | undefined => {
  const [, missing] = /^without (.+)$/.exec(label) ?? [];
  if (missing !== undefined) return missing;
  const [name = ""] = label.split(": ", 1);
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? name
    : undefined;
};

const omit = (fields: Fields, name: string | undefined): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name));
