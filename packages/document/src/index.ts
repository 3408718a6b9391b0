export { listSchemas, mapSchemas } from "./api/api-description.ts";
export type {
  ApiDescription,
  Body,
  Content,
  Credentials,
  Examples,
  Media,
  Operation,
  Parameter,
  Requirement,
  Response,
  SecurityScheme,
} from "./api/api-description.ts";
export { DocumentError } from "./errors.ts";
export * from "./json.ts";
export { readDocument, toApiDescription, toNormaliser } from "./read-document.ts";
export { normalise } from "./api/normalise-document.ts";
export { parseText, readSource } from "./read/read-source.ts";
export type { ReadOther, Source } from "./read/read-source.ts";
export { Resolver } from "./read/resolver.ts";
export { meet } from "./schema/combine.ts";
export { areDisjoint } from "./schema/disjoint.ts";
export { isKnownFormat } from "./schema/formats.ts";
export { isDate, type Lifecycle } from "./schema/lifecycle.ts";
export { matches, toRegExp } from "./schema/patterns.ts";
export {
  childKeys,
  listChildren,
  listKeys,
  mapKeys,
  replaceChildren,
  sortEntries,
  sortJson,
} from "./schema/schema.ts";
export type { Schema, TypeName } from "./schema/schema.ts";
export { covers } from "./schema/settle.ts";
export { accepts, explain, listPropertySchemas, typesOf } from "./schema/validate.ts";
export type { Problem } from "./schema/validate.ts";
export { toOriginal, toView, type Direction } from "./schema/views.ts";
export { isWithin, takesAll, type IsSame } from "./sets/within.ts";
export { findWitness } from "./sets/witness.ts";
export { listShown, makeValues, toArbitrary, type Style } from "./values/arbitraries.ts";
export { listInvalid } from "./values/broken-samples.ts";
export { listValid, toSimplest, type Sample } from "./values/samples.ts";
export { listTroubling } from "./values/troubling-samples.ts";
export { listVariants } from "./values/variants.ts";
