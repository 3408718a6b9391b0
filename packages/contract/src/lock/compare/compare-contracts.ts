import { classify } from "./classify.ts";
import { compareLifecycle } from "./compare-lifecycle.ts";
import { compareBody, compareResponses, compareParameters } from "./compare-messages.ts";
import type { Change } from "./change.ts";
import { compareSecurity } from "./compare-security.ts";
import { listSchemas, type ApiDescription, type Operation, type Schema } from "@sallyport/document";
import { isUnstable, judgeRemoval } from "./lifecycle.ts";
import { OperationPlace } from "./place.ts";
import type { Witnesses } from "./question.ts";
import type { RuleId } from "../rules/rules.ts";

/** @param today the day on which removals happen, such as `2026-12-31` */
export const compareContracts = (
  before: ApiDescription,
  after: ApiDescription,
  today: string = new Date().toISOString().slice(0, 10),
): readonly Change[] => {
  const changes = new Map<string, Change>();
  const { classes } = classify([...listSchemas(before), ...listSchemas(after)]);
  const others = new Map<Schema, string>();
  const classOf = (schema: Schema): string => {
    const known = classes.get(schema) ?? others.get(schema) ?? `other ${others.size}`;
    if (!classes.has(schema)) others.set(schema, known);
    return known;
  };
  const witnesses: Witnesses = new Map();
  const toPlace: ToPlace = (operation, isMuted) =>
    new OperationPlace({ operation, today, isMuted, classOf, witnesses, changes });
  const document = toPlace("document", false);
  compareNames(before.servers, after.servers, document, "server");
  const servers = [before.servers, after.servers] as const;
  compareGroups(before.operations, after.operations, toPlace, "operation", servers);
  compareGroups(before.webhooks, after.webhooks, toPlace, "webhook", servers);
  return [...changes.values()];
};

type Operations = Readonly<Record<string, Operation>>;
/** The servers of the documents, which are those of the operations that name none. */
type Servers = readonly [before: readonly string[], after: readonly string[]];
type ToPlace = (operation: string, isMuted: boolean) => OperationPlace;

const compareGroups = (
  before: Operations,
  after: Operations,
  toPlace: ToPlace,
  kind: "operation" | "webhook" | "callback",
  servers: Servers,
): void => {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]];
    // what stays a draft promises nothing, but what leaves this state must be as it was
    const isMuted = was !== undefined && isUnstable(was) && (!is || isUnstable(is));
    const place = toPlace((is ?? was)?.name ?? key, isMuted);
    if (!was) place.tell(`${kind}-added`);
    else if (!is) place.tell(`${kind}-${judgeRemoval(was, place.today)}`, { before: was.sunset });
    // what a server sends to a webhook is a response to whoever receives it
    else compareOperations(was, is, kind === "operation" ? place : place.turn(), toPlace, servers);
  }
};

const compareOperations = (
  was: Operation,
  is: Operation,
  place: OperationPlace,
  toPlace: ToPlace,
  servers: Servers,
): void => {
  compareLifecycle(was, is, (change, details) => place.tell(`operation-${change}`, details));
  if (was.operationId !== is.operationId)
    place.tell("operation-id-changed", {
      before: was.operationId ?? "none",
      after: is.operationId ?? "none",
    });
  compareNames(was.tags, is.tags, place, "tag");
  // those of the documents are compared once
  if (was.servers || is.servers)
    compareNames(was.servers ?? servers[0], is.servers ?? servers[1], place, "server");
  compareSecurity(was.security, is.security, place);
  compareParameters(was.parameters, is.parameters, place);
  compareBody(was.body, is.body, place);
  compareResponses(was.responses, is.responses, place);
  const toInner: ToPlace = (name, isMuted) => toPlace(name, isMuted || place.isMuted);
  compareGroups(was.callbacks, is.callbacks, toInner, "callback", servers);
};

const compareNames = (
  before: readonly string[],
  after: readonly string[],
  place: OperationPlace,
  noun: "server" | "tag",
): void => {
  const tell = (rule: RuleId, names: readonly string[]): void => {
    for (const name of names) place.tell(rule, { name });
  };
  tell(
    `${noun}-added`,
    after.filter((name) => !before.includes(name)),
  );
  tell(
    `${noun}-removed`,
    before.filter((name) => !after.includes(name)),
  );
};
