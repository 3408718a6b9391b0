import { compareDocuments } from "./src/index.ts";
import { normalise, isWithin, toNormaliser, findWitness } from "@sallyport/document";
const n = (schema: any) => ({
  openapi: "3.1.0",
  info: { title: "a", version: "1" },
  paths: {
    "/a": {
      post: {
        requestBody: { content: { "application/json": { schema } } },
        responses: { 200: { description: "ok" } },
      },
    },
  },
});
const show = (a: any, b: any) =>
  console.log(
    (compareDocuments(n(a) as never, n(b) as never) as any)
      .map((c: any) => `${c.level} ${c.rule} ${c.path} ${c.witness ?? ""}`)
      .join(" | ") || "-",
  );
const mk = (x: any) => ({
  type: "object",
  patternProperties: {
    "^a": {
      oneOf: [
        { anyOf: [{ type: "number" }, { type: ["string", "null"] }] },
        { type: "number", ...x },
      ],
    },
  },
});
show(mk({ minimum: -1, multipleOf: 2 }), mk({ exclusiveMinimum: -3, multipleOf: 1 }));
const q = (x: any) => mk(x).patternProperties["^a"];
show(q({ minimum: -1, multipleOf: 2 }), q({ exclusiveMinimum: -3, multipleOf: 1 }));
show(
  { type: "object", properties: { a: q({ minimum: -1, multipleOf: 2 }) } },
  { type: "object", properties: { a: q({ exclusiveMinimum: -3, multipleOf: 1 }) } },
);
show(
  {
    allOf: [
      { type: "object", properties: {}, additionalProperties: false },
      {
        type: "object",
        properties: {},
        additionalProperties: { enum: ["a"] },
        minProperties: 0,
        patternProperties: { "^a": { enum: ["a"] } },
      },
    ],
  },
  { allOf: [{ type: "object", properties: {}, additionalProperties: false }, {}] },
);
const full = {
  anyOf: [
    { type: ["string", "null"] },
    {
      type: "object",
      properties: { a: { type: "boolean" } },
      minProperties: 1,
      patternProperties: { "^a": q({ minimum: -1, multipleOf: 2 }) },
    },
    { type: "string" },
  ],
};
const full2 = {
  anyOf: [
    { type: ["string", "null"] },
    {
      type: "object",
      properties: { a: { type: "boolean" } },
      minProperties: 1,
      patternProperties: { "^a": q({ exclusiveMinimum: -3, multipleOf: 1 }) },
    },
    { type: "string" },
  ],
};
show(full, full2);
show(full.anyOf[1], full2.anyOf[1]);
