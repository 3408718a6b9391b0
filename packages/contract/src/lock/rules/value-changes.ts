import { constraint, define, limits, list, number, record, text } from "./schema-change.ts";

/** Changes of types, values and their limits. */
export const valueChanges = define({
  // types
  "type-narrowed": {
    effect: "narrower",
    words: "the type was narrowed from {before} to {after}",
    example: [number({}), { type: "integer" }],
  },
  "type-widened": {
    effect: "wider",
    words: "the type was widened from {before} to {after}",
    example: [{ type: "integer" }, number({})],
  },
  "type-changed": {
    effect: "different",
    words: "the type was changed from {before} to {after}",
    example: [{ type: "boolean" }, number({})],
    counterexample: [{ type: "integer" }, number({})],
  },
  "format-added": {
    effect: "narrower",
    words: "the format {after} was added",
    example: [text({}), text({ format: "email" })],
  },
  "format-removed": {
    effect: "wider",
    words: "the format {before} was removed",
    example: [text({ format: "email" }), text({})],
  },
  "format-narrowed": {
    effect: "narrower",
    words: "the format was narrowed from {before} to {after}",
    example: [number({ format: "double" }), number({ format: "float" })],
  },
  "format-widened": {
    effect: "wider",
    words: "the format was widened from {before} to {after}",
    example: [number({ format: "float" }), number({ format: "double" })],
  },
  "format-changed": {
    effect: "different",
    words: "the format was changed from {before} to {after}",
    example: [text({ format: "email" }), text({ format: "uuid" })],
    counterexample: [text({ format: "email" }), text({})],
  },
  "null-added": {
    effect: "wider",
    words: "null was allowed",
    example: [text({}), { type: ["string", "null"] }],
  },
  "null-removed": {
    effect: "narrower",
    words: "null is no longer allowed",
    example: [{ type: ["string", "null"] }, text({})],
  },

  // values
  "enum-added": {
    effect: "narrower",
    words: "the values were restricted to {after}",
    example: [text({}), text({ enum: ["a", "b"] })],
  },
  "enum-removed": {
    effect: "wider",
    words: "the values are no longer restricted to {before}",
    example: [text({ enum: ["a", "b"] }), text({})],
  },
  "enum-value-added": {
    effect: "wider",
    words: "the value {name} was added",
    example: [text({ enum: ["a"] }), text({ enum: ["a", "b"] })],
    // clients should expect new values
    levels: { response: "warning" },
  },
  "enum-value-removed": {
    effect: "narrower",
    words: "the value {name} was removed",
    example: [text({ enum: ["a", "b"] }), text({ enum: ["a"] })],
  },
  "enum-replaced": {
    effect: "different",
    words: "the values {before} were replaced by {after}",
    example: [text({ const: "a" }), text({ const: "b" })],
    counterexample: [text({ const: "a" }), text({ enum: ["a", "b"] })],
  },
  "known-value-added": {
    effect: "wider",
    words: "the value {name} was added to those known so far",
    example: [text({ "x-extensible-enum": ["a"] }), text({ "x-extensible-enum": ["a", "b"] })],
    // clients of such a list expect new values
    levels: { response: "harmless" },
  },
  "known-value-removed": {
    effect: "narrower",
    words: "the value {name} was removed from those known so far",
    example: [text({ "x-extensible-enum": ["a", "b"] }), text({ "x-extensible-enum": ["a"] })],
  },
  "default-added": {
    effect: "none",
    words: "the default {after} was added",
    example: [text({}), text({ default: "a" })],
    levels: { parameter: "breaking" },
  },
  "default-removed": {
    effect: "none",
    words: "the default {before} was removed",
    example: [text({ default: "a" }), text({})],
    levels: { parameter: "breaking" },
  },
  "default-changed": {
    effect: "none",
    words: "the default was changed from {before} to {after}",
    example: [text({ default: "a" }), text({ default: "b" })],
    counterexample: [text({ default: "a" }), text({ default: "a" })],
    levels: { parameter: "breaking" },
  },

  "values-refused": {
    effect: "narrower",
    words: "values are refused that were accepted, such as {after}",
    example: [{ type: "integer" }, { oneOf: [{ type: "integer" }, number({})] }],
    areas: ["parameter", "request"],
  },
  "values-added": {
    effect: "wider",
    words: "values may come that did not come before, such as {after}",
    example: [{ oneOf: [{ type: "integer" }, number({})] }, { type: "integer" }],
    areas: ["response", "header"],
  },

  // limits
  ...limits("minimum", "the minimum", number, "minimum"),
  ...limits("maximum", "the maximum", number, "maximum"),
  ...limits("min-length", "the minimum length", text, "minimum"),
  ...limits("max-length", "the maximum length", text, "maximum"),
  ...limits("min-items", "the minimum number of items", list, "minimum"),
  ...limits("max-items", "the maximum number of items", list, "maximum"),
  ...limits("min-properties", "the minimum number of properties", record, "minimum"),
  ...limits("max-properties", "the maximum number of properties", record, "maximum"),
  ...limits(
    "min-contains",
    "the minimum number of matching items",
    (more) => list({ contains: text({}), ...more }),
    "minimum",
  ),
  ...limits(
    "max-contains",
    "the maximum number of matching items",
    (more) => list({ contains: text({}), ...more }),
    "maximum",
  ),
  "limit-excluded": {
    effect: "narrower",
    words: "the limit {after} itself is no longer allowed",
    example: [number({ minimum: 3 }), number({ exclusiveMinimum: 3 })],
  },
  "limit-included": {
    effect: "wider",
    words: "the limit {after} itself was allowed",
    example: [number({ exclusiveMaximum: 3 }), number({ maximum: 3 })],
  },
  ...constraint("multiple-of", "the divisor", number, { multipleOf: 2 }),
  "multiple-of-changed": {
    effect: "different",
    words: "the divisor was changed from {before} to {after}",
    example: [number({ multipleOf: 2 }), number({ multipleOf: 3 })],
    counterexample: [number({ multipleOf: 2 }), number({ multipleOf: 2 })],
  },
  ...constraint("unique-items", "the rule that items are unique", list, { uniqueItems: true }),
  "pattern-added": {
    effect: "narrower",
    words: "the pattern {after} was added",
    example: [text({}), text({ pattern: "^a" })],
  },
  "pattern-removed": {
    effect: "wider",
    words: "the pattern {before} was removed",
    example: [text({ pattern: "^a" }), text({})],
    levels: { response: "harmless" },
  },
  "pattern-changed": {
    effect: "different",
    words: "the pattern was changed from {before} to {after}",
    example: [text({ pattern: "^a" }), text({ pattern: "^b" })],
    counterexample: [text({ pattern: "^a" }), text({})],
    levels: { response: "harmless" },
  },
  "content-encoding-changed": {
    effect: "different",
    words: "the encoding of the text was changed from {before} to {after}",
    example: [text({ contentEncoding: "base64" }), text({ contentEncoding: "base32" })],
    counterexample: [text({ contentEncoding: "base64" }), text({ contentEncoding: "base64" })],
  },
  ...constraint("content-media-type", "the media type of the text, {after}{before},", text, {
    contentMediaType: "text/csv",
  }),
  "content-media-type-changed": {
    effect: "different",
    words: "the media type of the text was changed from {before} to {after}",
    example: [text({ contentMediaType: "text/csv" }), text({ contentMediaType: "text/html" })],
    counterexample: [
      text({ contentMediaType: "text/csv" }),
      text({ contentMediaType: "text/csv" }),
    ],
  },
  ...constraint("content-schema", "a schema of what the text contains", text, {
    contentSchema: { type: "object" },
  }),
});
