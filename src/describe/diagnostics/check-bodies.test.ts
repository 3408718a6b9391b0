import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Operation } from "../api/operation.ts";
import { defaultEndpointsFactory as factory } from "../../define/endpoint/endpoints-factory.ts";
import type { InputSources } from "../../define/endpoint/input-sources.ts";
import { ez } from "../../basics/schemas/ez.ts";
import type { ZodSchema } from "../../basics/schemas/schema.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { walkRouting } from "../../define/routing/walk-routing.ts";
import { checkBodies } from "./check-bodies.ts";
import type { RoutingFacts } from "./diagnostic.ts";

const taking = (schema: ZodSchema) =>
  factory.buildVoid({ input: schema as z.ZodObject, handler: () => undefined });

const check = (
  routing: Routing,
  sources: Partial<InputSources> = {},
  facts: Partial<RoutingFacts> = {},
): string[] =>
  checkBodies(
    walkRouting(routing).endpoints.map((entry) => new Operation(entry, { inputSources: sources })),
    { takesUploads: true, hasNativeParsers: false, ...facts },
  ).map(({ code, meta }) => {
    const { method, path } = meta as { method: string; path: string };
    return `${code} ${method} ${path}`;
  });

const avatar = taking(z.object({ avatar: ez.upload() }));
const optional = taking(z.object({ avatar: ez.upload().optional() }));
const lists = taking(z.object({ files: z.array(ez.upload()) }).and(z.object({ a: z.string() })));
const raw = taking(ez.raw({ id: z.string().optional() }));

describe("the body as an input source for GET", () => {
  test("causes one warning if a route serves GET, and none otherwise", () => {
    const sources = { get: ["query", "body"] } as const;
    expect(check({ a: { get: optional }, b: { get: optional } }, sources)).toContain(
      "SLP_WARN_GET_BODY get /a",
    );
    const plain = taking(z.object({}));
    expect(check({ a: plain, b: plain }, sources)).toEqual(["SLP_WARN_GET_BODY get /a"]);
    expect(check({ "post a": plain }, sources)).toEqual([]);
  });
});

describe("warns about raw bodies that are not read", () => {
  test.each([
    ["for a GET", { a: { get: raw } }, {}, ["SLP_WARN_NO_BODY get /a"]],
    ["for a DELETE", { "delete a": raw }, {}, ["SLP_WARN_NO_BODY delete /a"]],
    [
      "once for a GET and a DELETE",
      { "get a": raw, "delete a": raw },
      {},
      ["SLP_WARN_NO_BODY get /a"],
    ],
    [
      "for a POST without the body as a source",
      { "post a": raw },
      { post: ["query"] as const },
      ["SLP_WARN_NO_BODY post /a"],
    ],
    ["but not for a POST and a PUT", { "post a": raw, "put a": raw }, {}, []],
    [
      "but not for a DELETE with the body as a source",
      { "delete a": raw },
      { delete: ["body"] as const },
      [],
    ],
  ])("%s", (_what, routing, sources, expected) => {
    expect(check(routing, sources)).toEqual(expected);
  });

  test("if a middleware takes the raw body", () => {
    const behind = factory
      .addMiddleware({ input: ez.raw(), handler: () => ({}) })
      .build({ handler: () => ({}) });
    expect(check({ a: behind })).toEqual(["SLP_WARN_NO_BODY get /a"]);
  });
});

describe("warns about uploads that are not received", () => {
  test.each([
    ["but not for a POST", { "post a": avatar, "post b": lists, "post c": optional }, {}, []],
    ["for a GET", { a: avatar }, {}, ["SLP_WARN_UPLOAD_SOURCE get /a"]],
    ["for a QUERY", { "query a": avatar }, {}, ["SLP_WARN_UPLOAD_SOURCE query /a"]],
    ["for lists of files with PUT", { "put a": lists }, {}, ["SLP_WARN_UPLOAD_SOURCE put /a"]],
    [
      "for an optional file with PUT alone",
      { "put a": optional },
      {},
      ["SLP_WARN_UPLOAD_SOURCE put /a"],
    ],
    [
      "but not for an optional file with PUT and POST",
      { "put a": optional, "post a": optional },
      {},
      [],
    ],
    [
      "for a required file with PUT and POST",
      { "put a": avatar, "post a": avatar },
      {},
      ["SLP_WARN_UPLOAD_SOURCE put /a"],
    ],
    [
      "for files as a source without the body",
      { "post a": avatar },
      { post: ["files"] as const },
      ["SLP_WARN_UPLOAD_SOURCE post /a"],
    ],
    [
      "but not for a PUT with the body and files as sources",
      { "put a": avatar },
      { put: ["body", "files"] as const },
      [],
    ],
  ])("%s", (_what, routing, sources, expected) => {
    expect(check(routing, sources)).toEqual(expected);
  });

  test("if uploads are off", () => {
    const routing = { "post a": avatar, "post b": avatar, "post c": optional };
    const off = { takesUploads: false };
    expect(check(routing, {}, off)).toEqual([
      "SLP_WARN_UPLOAD_OFF post /a",
      "SLP_WARN_UPLOAD_OFF post /c",
    ]);
    // a native middleware may put files on the request
    const native = { ...off, hasNativeParsers: true };
    expect(check(routing, { post: ["files"] }, native)).toEqual([]);
    expect(check(routing, { post: ["body"] }, native)).toHaveLength(2);
  });
});
