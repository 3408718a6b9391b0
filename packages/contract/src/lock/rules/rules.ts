import type { JsonObject } from "@sallyport/document";
import { messageChanges } from "./message-changes.ts";
import { header, withOperation } from "./operation-change.ts";
import { operationChanges } from "./operation-changes.ts";
import { toBump, type Level, type Pair, type Rule } from "./rule.ts";
import { areas, type Area, type SchemaChange } from "./schema-change.ts";
import { schemaChanges, type SchemaChangeName } from "./schema-changes.ts";

export type RuleId =
  | keyof typeof operationChanges
  | keyof typeof messageChanges
  | `${Area}-schema-${SchemaChangeName}`;

const isOfRequest = (area: Area): boolean => area === "parameter" || area === "request";

/** Derives the level of a change of a schema from its effect: a request may accept more, a response may say less. */
export const toLevel = ({ effect, levels = {} }: SchemaChange, area: Area): Level => {
  const own = levels[area] ?? levels[isOfRequest(area) ? "request" : "response"];
  if (own) return own;
  if (effect === "none") return "harmless";
  if (effect === "different") return "breaking";
  return (effect === "narrower") === isOfRequest(area) ? "breaking" : "harmless";
};

/** Documents of which a schema is a part. */
const place: Readonly<Record<Area, (schema: JsonObject) => JsonObject>> = {
  parameter: (schema) => withOperation({ parameters: [{ name: "q", in: "query", schema }] }),
  request: (schema) => withOperation({ requestBody: { content: toContent(schema) } }),
  response: (schema) =>
    withOperation({ responses: { 200: { description: "OK", content: toContent(schema) } } }),
  header: (schema) => withOperation(header({ schema })),
};

const toContent = (schema: JsonObject): JsonObject => ({ "application/json": { schema } });

/** Components to which the examples refer. */
const components: JsonObject = {
  schemas: {
    Pet: { type: "object", properties: { name: { type: "string" } } },
    Toy: { type: "string" },
  },
};

const toRule = (
  id: string,
  level: Level,
  isAddition: boolean,
  { words, example, counterexample }: Pick<Rule, "words" | "example"> & Partial<Rule>,
): Rule => ({
  ...{ id, level, bump: toBump(level, isAddition), words, example },
  counterexample: counterexample ?? [example[1], example[0]],
});

const listRules = (): readonly Rule[] => [
  ...Object.entries({ ...operationChanges, ...messageChanges }).map(([id, change]) =>
    toRule(id, change.level, change.isAddition === true, change),
  ),
  ...areas.flatMap((area) =>
    Object.entries<SchemaChange>(schemaChanges).flatMap(([name, change]) => {
      if (change.areas?.includes(area) === false) return [];
      const toDocument = (schema: JsonObject): JsonObject => ({
        ...place[area](schema),
        components,
      });
      const toPair = ([before, after]: Pair): Pair => [toDocument(before), toDocument(after)];
      const { effect, words, example, counterexample } = change;
      const isAddition = effect === "wider" || /^(?:property-added|deprecated)$/.test(name);
      return toRule(`${area}-schema-${name}`, toLevel(change, area), isAddition, {
        words,
        example: toPair(example),
        ...(counterexample && { counterexample: toPair(counterexample) }),
      });
    }),
  ),
];

/** Every rule, by its id. */
export const rules: ReadonlyMap<string, Rule> = new Map(listRules().map((rule) => [rule.id, rule]));
