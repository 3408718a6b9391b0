import { isDeepStrictEqual } from "node:util";
import { accepts } from "@sallyport/document";
import fc from "fast-check";
import { isJsonType } from "./body-type.ts";
import { canCarryAt, type Call, type Fields } from "./call.ts";
import type { Case } from "./cases.ts";
import type { Finding } from "./check.ts";
import type { Attempt, Session } from "./session.ts";

/** The number of calls that look for a smaller one. */
const maxCalls = 150;

/** Looks for a smaller call, nearer to the smallest one of the operation, that shows the same. */
export const minimise = async (
  session: Session,
  base: Call,
  found: Case,
  attempt: Attempt,
  { check, message }: Finding,
): Promise<Attempt> => {
  let [least, smallest] = [found, attempt];
  let calls = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const call of listSmaller(least, base)) {
      if (++calls > maxCalls) return smallest;
      const next = { ...least, call };
      const tried = await session.attempt(next);
      if (!tried.findings.some((one) => one.check === check && one.message === message)) continue;
      [least, smallest, isSmaller] = [next, tried, true];
      break;
    }
  }
  return smallest;
};

/** Lists calls that differ from the smallest one in a field less; what a call is about stays. */
const listSmaller = ({ call, kind, focus }: Case, base: Call): readonly Call[] => {
  const isKept = (place: string, name: string): boolean =>
    focus?.place === place && focus.name === name;
  const parts = (["query", "header", "cookie", "path"] as const).flatMap((place) =>
    listNearer(call[place], base[place], (name) => isKept(place, name)).map((fields): Call => ({
      ...call,
      [place]: fields,
    })),
  );
  const shrunk = kind === "negative" ? [] : listShrunk(call);
  const { body } = call;
  // a whole body may be what is wrong
  if (!body || !isFields(body.value) || (kind === "negative" && !focus))
    return [...parts, ...shrunk];
  const isNew = focus?.place !== "body" && !isDeepStrictEqual(body, base.body);
  const bodies = nearerBodies(call, base, (name) => isKept("body", name));
  const all = [...(isNew ? [{ ...call, body: base.body }] : []), ...parts, ...bodies, ...shrunk];
  return all.filter((one) => kind !== "positive" || isAllowed(one));
};

/** Lists calls with a shorter text or a smaller integer in one of the fields. */
const listShrunk = (call: Call): readonly Call[] => {
  const { operation, body } = call;
  const parameters = operation.parameters.flatMap((parameter): readonly Call[] => {
    const { in: place, name: shown, schema } = parameter;
    const name = place === "header" ? shown.toLowerCase() : shown;
    return listSmallerValues(call[place][name])
      .filter((value) => accepts(schema, value) && canCarryAt(parameter, value))
      .map((value) => ({ ...call, [place]: { ...call[place], [name]: value } }));
  });
  if (!body || !isFields(body.value)) return parameters;
  const { type, value: fields } = body;
  const bodies = Object.entries(fields).flatMap(([name, value]) =>
    listSmallerValues(value).map((one) => ({
      ...{ ...call, body: { type, value: { ...fields, [name]: one } } },
    })),
  );
  return [...parameters, ...bodies];
};

const integers = fc.maxSafeInteger();

/** As many smaller integers as it takes to come near to a limit. */
const maxValues = 12;

const listSmallerValues = (value: unknown): readonly unknown[] => {
  if (typeof value === "string") return listParts(value);
  if (!Number.isSafeInteger(value)) return [];
  return [...integers.shrink(value as number, undefined).take(maxValues)].map((one) => one.value);
};

/** Lists both halves of a text, and the text without its last and its first character. */
const listParts = (text: string): readonly string[] => {
  const characters = Array.from(text);
  const half = Math.ceil(characters.length / 2);
  const parts = [
    characters.slice(0, half),
    characters.slice(half),
    characters.slice(0, -1),
    characters.slice(1),
  ];
  return parts.filter(({ length }) => length < characters.length).map((part) => part.join(""));
};

/** Whether the body of a call still fits; forms are read from text, which the schema does not describe. */
const isAllowed = ({ operation, body }: Call): boolean => {
  const schema = body && isJsonType(body.type) ? operation.body?.[body.type] : undefined;
  return !schema || accepts(schema, body?.value);
};

const nearerBodies = (
  call: Call,
  base: Call,
  isKept: (name: string) => boolean,
): readonly Call[] => {
  const { body } = call;
  if (!body || !isFields(body.value)) return [];
  const to = base.body?.type === body.type && isFields(base.body.value) ? base.body.value : {};
  return listNearer(body.value, to, isKept).map((value) => ({ ...call, body: { ...body, value } }));
};

/** Lists fields with one that the other ones lack left out, or one as in the others. */
const listNearer = (
  fields: Fields,
  to: Fields,
  isKept: (name: string) => boolean,
): readonly Fields[] =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (isKept(name)) return [];
    const { [name]: _left, ...rest } = fields;
    if (!Object.hasOwn(to, name)) return [rest];
    return isDeepStrictEqual(value, to[name]) ? [] : [{ ...fields, [name]: to[name] }];
  });

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
