import fc from "fast-check";
import { isForm, isJsonType } from "./body-type.ts";
import { canCarry, canCarryAt, SentFile, type Call, type Fields } from "./call.ts";
import { toMade } from "./made-values.ts";
import { hasCredential, listCases, listTried, withField, type Case } from "./cases.ts";
import type { Finding } from "./check.ts";
import { minimise } from "./minimise.ts";
import type { Attempt, Session } from "./session.ts";

/** Makes the calls that follow from the document alone; returns whether one succeeded. */
export const exploreDeclared = async (
  session: Session,
  base: Call,
  fields: Fields,
): Promise<boolean> => {
  let hasSucceeded = false;
  for (const one of listCases(base, fields)) {
    const status = await tryCase(session, base, one);
    if (one.kind !== "negative" && status >= 200 && status < 400) hasSucceeded = true;
  }
  return hasSucceeded;
};

const tryCase = async (session: Session, base: Call, one: Case): Promise<number> => {
  const attempt = await session.attempt(one);
  for (const finding of attempt.findings)
    if (session.isNew(base.operation, finding)) {
      const smallest = await minimise(session, base, one, attempt, finding);
      session.report(base.operation, one.label, smallest, finding);
    }
  return attempt.received?.status ?? 0;
};

/** Makes calls that follow from the seed. */
export const exploreGenerated = async (
  session: Session,
  base: Call,
  fields: Fields,
): Promise<void> => {
  const { runs = 20 } = session.options;
  const positives = toPositive(session, base, fields);
  if (!positives || runs === 0) return;
  await search(session, base, positives, Math.ceil(runs * 0.75));
  const negatives = toNegative(base, fields, positives);
  if (negatives) await search(session, base, negatives, Math.floor(runs * 0.25));
};

/** The number of calls that look for a smaller one. */
const maxShrinks = 60;

const search = async (
  session: Session,
  base: Call,
  cases: fc.Arbitrary<Case>,
  numRuns: number,
): Promise<void> => {
  const { operation } = base;
  for (let round = 0; round < 3; round++) {
    let found: { readonly one: Case; readonly attempt: Attempt; finding: Finding } | undefined;
    let shrinks = 0;
    const property = fc.asyncProperty(cases, async (one) => {
      if (found && ++shrinks > maxShrinks) return true;
      const attempt = await session.attempt(one);
      const finding = attempt.findings.find((each) =>
        found ? each.check === found.finding.check : session.isNew(operation, each),
      );
      if (!finding) return true;
      found = { one, attempt, finding };
      return false;
    });
    await fc.check(property, { seed: toSeed(session.seed, operation.key), numRuns });
    if (!found) return;
    const { one, attempt, finding } = found;
    const least = await minimise(session, base, one, attempt, finding);
    session.report(operation, one.label, least, finding);
  }
};

/** Each operation has a seed of its own, so that the others do not change what it is called with. */
const toSeed = (seed: number, key: string): number => {
  let hash = seed | 0;
  for (const char of key) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) | 0;
  return hash;
};

/** Creates calls that the document allows; undefined if nothing can vary. */
const toPositive = (
  { seed }: Session,
  base: Call,
  fields: Fields,
): fc.Arbitrary<Case> | undefined => {
  const { operation } = base;
  const parameters = listTried(operation).flatMap((one) => {
    const isFixed =
      Object.hasOwn(fields, one.name) ||
      one.name.toLowerCase() === "idempotency-key" ||
      hasCredential(one, base.credentials);
    const sent = isFixed ? undefined : toMade(one.schema, seed, (value) => canCarryAt(one, value));
    if (!sent) return [];
    const name = one.in === "header" ? one.name.toLowerCase() : one.name;
    return [{ one, name, values: one.isRequired ? sent : fc.option(sent, { nil: undefined }) }];
  });
  const bodies = toBodies(base, seed);
  if (parameters.length === 0 && !bodies) return undefined;
  return fc
    .tuple(fc.tuple(...parameters.map(({ values }) => values)), bodies ?? fc.constant(undefined))
    .map(([chosen, body]): Case => {
      let call: Call = body === undefined ? base : { ...base, body: body.body };
      for (const [at, value] of chosen.entries()) {
        const found = parameters[at];
        if (found && value !== undefined) call = withField(call, found.one.in, found.name, value);
      }
      return {
        call,
        kind: "positive",
        label: "a generated call",
        check: "positive_data_acceptance",
      };
    });
};

/** Creates bodies of JSON or a form, with the fields of the fixture. */
const toBodies = (
  base: Call,
  seed: number,
): fc.Arbitrary<{ readonly body: Call["body"] }> | undefined => {
  const { body: declared } = base.operation;
  const [type, schema] =
    Object.entries(declared ?? {}).find(([one]) => isJsonType(one) || isForm(one)) ?? [];
  if (type === undefined || !schema) return undefined;
  const values = toMade(schema, seed, (one) => !isForm(type) || canBeForm(one));
  if (!values) return undefined;
  const own = base.body?.type === type ? base.body.value : {};
  const kept =
    typeof own === "object" && own !== null && !Array.isArray(own) ? (own as Fields) : {};
  return values.map((value) => {
    const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
    const files = Object.entries(kept).filter(([, one]) => one instanceof SentFile);
    const all = isFields ? { ...value, ...Object.fromEntries(files) } : value;
    return { body: { type, value: all } };
  });
};

const canBeForm = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((one) => canCarry("form", one));

/** Creates calls with one field that the document forbids. */
const toNegative = (
  base: Call,
  fields: Fields,
  positives: fc.Arbitrary<Case>,
): fc.Arbitrary<Case> | undefined => {
  const wrong = listCases(base, fields).filter(
    ({ kind, focus }) => kind === "negative" && focus !== undefined,
  );
  if (wrong.length === 0) return undefined;
  return fc.tuple(positives, fc.constantFrom(...wrong)).map(([{ call }, one]) => {
    const { focus } = one;
    if (!focus) return one;
    const { place, name } = focus;
    if (place !== "body") {
      const { [name]: _own, ...rest } = call[place];
      const kept = one.call[place];
      const value = Object.hasOwn(kept, name) ? { [name]: kept[name] } : {};
      return { ...one, call: { ...call, [place]: { ...rest, ...value } } };
    }
    const { body } = one.call;
    const others = call.body?.type === body?.type ? call.body?.value : undefined;
    if (!body || !isPlain(others) || !isPlain(body.value)) return one;
    const { [name]: _field, ...rest } = others;
    const value = Object.hasOwn(body.value, name) ? { [name]: body.value[name] } : {};
    return { ...one, call: { ...call, body: { ...body, value: { ...rest, ...value } } } };
  });
};

const isPlain = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
