import type { JsonObject } from "@sallyport/document";
import { constraint, define, list, number, record, text, withName } from "./schema-change.ts";

const union = (more: JsonObject): JsonObject => ({ anyOf: [withName({}), text({})], ...more });

/** A discriminator whose values stand for the components of the examples. */
const mapping = (values: JsonObject): JsonObject => ({
  discriminator: { propertyName: "name", mapping: values },
});

const tuple = (...prefixItems: JsonObject[]): JsonObject => list({ prefixItems, items: false });

const conditional = (more: JsonObject): JsonObject =>
  record({ if: { required: ["card"] }, ...more });

const branch = (key: "then" | "else"): JsonObject => ({ [key]: { required: ["address"] } });

/** Changes of properties, items and combinations of schemas. */
export const structureChanges = define({
  // properties
  "property-added": {
    effect: "none",
    words: "the optional property was added",
    example: [record({}), withName({})],
  },
  "required-property-added": {
    effect: "narrower",
    words: "the required property was added",
    example: [record({}), record({ ...withName({}), required: ["name"] })],
  },
  "property-removed": {
    effect: "none",
    words: "the property was removed",
    example: [withName({}), record({})],
    levels: { request: "warning", response: "warning" },
  },
  "property-refused": {
    effect: "narrower",
    words: "the property was removed, and unknown ones are refused",
    example: [
      { ...withName({}), additionalProperties: false },
      record({ additionalProperties: false }),
    ],
    areas: ["parameter", "request"],
  },
  "required-property-removed": {
    effect: "wider",
    words: "the property was removed, which had always been there",
    example: [record({ ...withName({}), required: ["name"] }), record({})],
    levels: { request: "warning" },
  },
  "property-removed-after-deprecation": {
    effect: "none",
    words: "the deprecated property was removed",
    example: [withName({ deprecated: true, "x-sunset": "2001-01-01" }), record({})],
  },
  "property-removed-before-sunset": {
    effect: "different",
    words: "the property was removed before its sunset, {before}",
    example: [withName({ deprecated: true, "x-sunset": "9999-01-01" }), record({})],
  },
  "property-became-required": {
    effect: "narrower",
    words: "the property became required",
    example: [withName({}), record({ ...withName({}), required: ["name"] })],
  },
  "property-became-optional": {
    effect: "wider",
    words: "the property became optional",
    example: [record({ ...withName({}), required: ["name"] }), withName({})],
  },
  "additional-properties-refused": {
    effect: "narrower",
    words: "properties that are not listed are no longer allowed",
    example: [record({}), record({ additionalProperties: false })],
  },
  "additional-properties-allowed": {
    effect: "wider",
    words: "properties that are not listed were allowed",
    example: [record({ additionalProperties: false }), record({})],
    // clients ignore properties that they do not know
    levels: { response: "harmless" },
  },
  "additional-properties-restricted": {
    effect: "narrower",
    words: "the values of properties that are not listed were restricted",
    example: [record({}), record({ additionalProperties: text({}) })],
  },
  "additional-properties-unrestricted": {
    effect: "wider",
    words: "the values of properties that are not listed are no longer restricted",
    example: [record({ additionalProperties: text({}) }), record({})],
  },
  ...constraint("property-names", "a rule for the names of properties", record, {
    propertyNames: { pattern: "^a" },
  }),
  ...constraint("pattern-property", "a rule for properties whose names match {name}", record, {
    patternProperties: { "^a": text({}) },
  }),
  ...constraint("dependent-required", "the rule that {name} requires {after}{before}", record, {
    dependentRequired: { card: ["address"] },
  }),
  "dependent-required-changed": {
    effect: "different",
    words: "what {name} requires was changed from {before} to {after}",
    example: [
      record({ dependentRequired: { card: ["address"] } }),
      record({ dependentRequired: { card: ["name"] } }),
    ],
    counterexample: [record({ dependentRequired: { card: ["address"] } }), record({})],
  },
  ...constraint("dependent-schema", "a rule for objects with the property {name}", record, {
    dependentSchemas: { card: { required: ["address"] } },
  }),
  ...constraint(
    "unevaluated-properties",
    "a rule for properties that nothing else allows",
    record,
    {
      unevaluatedProperties: false,
    },
  ),
  "read-only-added": {
    effect: "none",
    words: "the property became read-only",
    example: [withName({}), withName({ readOnly: true })],
  },
  "read-only-removed": {
    effect: "none",
    words: "the property is no longer read-only",
    example: [withName({ readOnly: true }), withName({})],
  },
  "required-read-only-removed": {
    effect: "none",
    words: "the required property is no longer read-only",
    example: [
      record({ ...withName({ readOnly: true }), required: ["name"] }),
      record({ ...withName({}), required: ["name"] }),
    ],
    // it must be sent from now on
    levels: { request: "breaking" },
  },
  "write-only-added": {
    effect: "none",
    words: "the property became write-only",
    example: [withName({}), withName({ writeOnly: true })],
  },
  "required-write-only-added": {
    effect: "none",
    words: "the property became write-only, which had always been there",
    example: [
      record({ ...withName({}), required: ["name"] }),
      record({ ...withName({ writeOnly: true }), required: ["name"] }),
    ],
    // it is sent no longer, unless it never was
    levels: { response: "warning" },
  },
  "write-only-removed": {
    effect: "none",
    words: "the property is no longer write-only",
    example: [withName({ writeOnly: true }), withName({})],
  },
  "required-write-only-removed": {
    effect: "none",
    words: "the required property is no longer write-only",
    example: [
      record({ ...withName({ writeOnly: true }), required: ["name"] }),
      record({ ...withName({}), required: ["name"] }),
    ],
    levels: { response: "warning" },
  },

  // items
  "items-restricted": {
    effect: "narrower",
    words: "the items were restricted",
    example: [list({}), list({ items: text({}) })],
  },
  "items-unrestricted": {
    effect: "wider",
    words: "the items are no longer restricted",
    example: [list({ items: text({}) }), list({})],
  },
  "tuple-item-added": {
    effect: "wider",
    words: "the item at position {name} was added",
    example: [tuple(text({})), tuple(text({}), number({}))],
  },
  "tuple-item-removed": {
    effect: "narrower",
    words: "the item at position {name} was removed",
    example: [tuple(text({}), number({})), tuple(text({}))],
  },
  ...constraint("contains", "an item that must be contained", list, { contains: text({}) }),
  ...constraint("unevaluated-items", "a rule for items that nothing else allows", list, {
    unevaluatedItems: false,
  }),

  // combinations
  "variant-added": {
    effect: "wider",
    words: "the variant {name} was added",
    example: [
      { oneOf: [withName({}), text({})] },
      { oneOf: [withName({}), text({}), { type: "boolean" }] },
    ],
  },
  "variant-removed": {
    effect: "narrower",
    words: "the variant {name} was removed",
    example: [
      { oneOf: [withName({}), text({}), { type: "boolean" }] },
      { oneOf: [withName({}), text({})] },
    ],
  },
  ...constraint("union", "a choice of variants", record, {
    properties: { name: text({}) },
    anyOf: [{ required: ["name"] }, { minProperties: 3 }],
  }),
  "variants-overlap": {
    effect: "narrower",
    words: "exactly one variant must match, but more than one does",
    example: [
      withName({}),
      { oneOf: [withName({}), record({ ...withName({}), required: ["name"] })] },
    ],
  },
  "union-became-exclusive": {
    effect: "narrower",
    words: "exactly one of the variants must match, no longer any of them",
    example: [
      { anyOf: [withName({}), record({ minProperties: 2 })] },
      { oneOf: [withName({}), record({ minProperties: 2 })] },
    ],
  },
  "union-became-inclusive": {
    effect: "wider",
    words: "any of the variants may match, no longer exactly one of them",
    example: [
      { oneOf: [withName({}), record({ minProperties: 2 })] },
      { anyOf: [withName({}), record({ minProperties: 2 })] },
    ],
    levels: { response: "harmless" },
  },
  "discriminator-added": {
    effect: "none",
    words: "the property {after} tells the variants apart",
    example: [union({}), union({ discriminator: { propertyName: "name" } })],
  },
  "discriminator-removed": {
    effect: "none",
    words: "the property {before} no longer tells the variants apart",
    example: [union({ discriminator: { propertyName: "name" } }), union({})],
  },
  "discriminator-changed": {
    effect: "none",
    words: "the property that tells the variants apart was changed from {before} to {after}",
    example: [
      union({ discriminator: { propertyName: "name" } }),
      union({ discriminator: { propertyName: "kind" } }),
    ],
    counterexample: [union({ discriminator: { propertyName: "name" } }), union({})],
  },
  "mapping-added": {
    effect: "none",
    words: "the discriminator's value {name} was added",
    example: [union(mapping({})), union(mapping({ a: "Pet" }))],
    levels: { response: "warning" },
  },
  "mapping-removed": {
    effect: "none",
    words: "the discriminator's value {name} was removed",
    example: [union(mapping({ a: "Pet" })), union(mapping({}))],
    levels: { request: "breaking" },
  },
  "mapping-changed": {
    effect: "none",
    words: "the discriminator's value {name} stands for another variant",
    levels: { request: "breaking", response: "breaking" },
    example: [union(mapping({ a: "Pet" })), union(mapping({ a: "Toy" }))],
    counterexample: [union(mapping({ a: "Pet" })), union(mapping({}))],
  },
  "all-of-added": {
    effect: "narrower",
    words: "one more schema must match",
    example: [
      { allOf: [{ not: number({}) }] },
      { allOf: [{ not: number({}) }, { not: list({}) }] },
    ],
  },
  "all-of-removed": {
    effect: "wider",
    words: "one schema less must match",
    example: [
      { allOf: [{ not: number({}) }, { not: list({}) }] },
      { allOf: [{ not: number({}) }] },
    ],
    levels: { request: "warning" },
  },
  ...constraint("not", "a schema that must not match", (more) => more, { not: text({}) }),
  "not-changed": {
    effect: "different",
    words: "the schema that must not match was changed",
    example: [{ not: text({}) }, { not: list({}) }],
    counterexample: [{ not: text({}) }, {}],
  },
  ...constraint("if", "a condition", record, { if: { required: ["card"] } }),
  "if-changed": {
    effect: "different",
    words: "the condition was changed",
    example: [record({ if: { required: ["card"] } }), record({ if: { required: ["cash"] } })],
    counterexample: [record({ if: { required: ["card"] } }), record({})],
  },
  ...constraint("then", "what holds if the condition is met", conditional, branch("then")),
  ...constraint("else", "what holds unless the condition is met", conditional, branch("else")),
});
