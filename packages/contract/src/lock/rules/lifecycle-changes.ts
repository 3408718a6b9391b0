import { define, withName } from "./schema-change.ts";

const draft = withName({ "x-stability-level": "draft" });

/** Changes of what is announced about the future of properties. */
export const lifecycleChanges = define({
  deprecated: {
    effect: "none",
    words: "deprecated{after}",
    example: [withName({}), withName({ deprecated: true })],
  },
  reactivated: {
    effect: "none",
    words: "no longer deprecated",
    example: [withName({ deprecated: true }), withName({})],
  },
  "sunset-set": {
    effect: "none",
    words: "it may be removed from {after} on",
    example: [
      withName({ deprecated: true }),
      withName({ deprecated: true, "x-sunset": "2030-01-01" }),
    ],
  },
  "sunset-later": {
    effect: "none",
    words: "the sunset was postponed from {before} to {after}",
    example: [
      withName({ deprecated: true, "x-sunset": "2030-01-01" }),
      withName({ deprecated: true, "x-sunset": "2031-01-01" }),
    ],
  },
  "sunset-earlier": {
    effect: "different",
    words: "the sunset was brought forward from {before} to {after}",
    example: [
      withName({ deprecated: true, "x-sunset": "2031-01-01" }),
      withName({ deprecated: true, "x-sunset": "2030-01-01" }),
    ],
  },
  "sunset-invalid": {
    effect: "different",
    words: "the sunset {after} is no date",
    example: [withName({ deprecated: true }), withName({ deprecated: true, "x-sunset": "soon" })],
  },
  "sunset-removed": {
    effect: "different",
    words: "the sunset {before} was removed",
    example: [
      withName({ deprecated: true, "x-sunset": "2030-01-01" }),
      withName({ deprecated: true }),
    ],
  },
  "stability-lowered": {
    effect: "different",
    words: "it is {after}, no longer {before}",
    example: [withName({}), draft],
  },
  "stability-raised": {
    effect: "none",
    words: "it is {after}, no longer {before}",
    example: [draft, withName({})],
  },
  "stability-invalid": {
    effect: "different",
    words: "its stability is unknown: {after}",
    example: [withName({}), withName({ "x-stability-level": "solid" })],
  },
});
