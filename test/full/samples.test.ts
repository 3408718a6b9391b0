import { createContext, runInContext } from "node:vm";
import type { JsonObject } from "sallyport/openapi";
import { ez } from "sallyport";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { findUserInterface } from "../../src/describe/docs-page/user-interfaces.ts";
import { inputOf, outputOf } from "../openapi/generate.ts";
import { installationTime } from "./chromium.ts";
import { ensureScalar, scalarHome } from "./scalar.ts";

type Sampler = (schema: JsonObject) => unknown;

/** Starts Swagger UI without a page, and returns what makes its examples. */
const loadSwagger = (): { readonly "3.0": Sampler; readonly "3.1": Sampler } => {
  const bundle = findUserInterface("swagger").files.get("swagger-ui-bundle.js")?.();
  const element = { style: {}, setAttribute: () => undefined };
  const document = {
    ...{ addEventListener: () => undefined, createElement: () => element },
    ...{ createRange: () => ({}), querySelector: () => null, documentElement: element },
    ...{ createTextNode: () => ({}), currentScript: { src: "http://localhost/" } },
  };
  const location = { href: "http://localhost/", search: "", hash: "", pathname: "/" };
  // all else is what Node.js has, too
  const context = createContext(
    Object.assign(Object.create(globalThis) as object, {
      ...{ document, location, fetch: () => new Promise(() => undefined) },
      // it complains that it cannot load a document
      console: { ...console, error: () => undefined },
    }),
  );
  Object.assign(context, { window: context, self: context });
  runInContext(String(bundle), context);
  const { SwaggerUIBundle: start } = context as never as {
    readonly SwaggerUIBundle: ((options: object) => {
      readonly getSystem: () => {
        readonly fn: {
          readonly sampleFromSchema: Sampler;
          readonly jsonSchema202012: { readonly sampleFromSchema: Sampler };
        };
      };
    }) & { readonly presets: { readonly apis: unknown } };
  };
  const spec = { openapi: "3.1.0", info: { title: "None", version: "1" }, paths: {} };
  const { fn } = start({
    spec,
    url: "http://localhost/",
    presets: [start.presets.apis],
  }).getSystem();
  return { "3.0": fn.sampleFromSchema, "3.1": fn.jsonSchema202012.sampleFromSchema };
};

const loadScalar = async (): Promise<Sampler> => {
  const path = `${scalarHome}/node_modules/@scalar/api-client/dist/v2/blocks/operation-code-sample/helpers/get-example-from-schema.js`;
  const { getExampleFromSchema: sample } = (await import(path)) as {
    readonly getExampleFromSchema: (schema: JsonObject, options: object) => unknown;
  };
  // the options with which it shows responses
  return (schema) => sample(schema, { emptyString: "string" });
};

/** A schema of each string format of Zod, and of this package. */
const schemas = {
  ...{ base64: z.base64(), base64url: z.base64url(), cidrv4: z.cidrv4(), cidrv6: z.cidrv6() },
  ...{ creditCard: z.creditCard(), cuid: z.cuid(), cuid2: z.cuid2(), currency: z.currencyCode() },
  ...{ date: z.iso.date(), dateTime: z.iso.datetime(), dateIn: ez.dateIn() },
  ...{ dateTimeSomewhere: z.iso.datetime({ offset: true }) },
  ...{ dateTimeHere: z.iso.datetime({ local: true }) },
  ...{ dateTimeOfMinutes: z.iso.datetime({ precision: -1 }) },
  ...{ dateTimeOfThree: z.iso.datetime({ precision: 3 }) },
  ...{ duration: z.iso.duration(), e164: z.e164(), email: z.email(), emoji: z.emoji() },
  ...{ emailAt: z.email().endsWith("@corp.example"), guid: z.guid(), hex: z.hex() },
  ...{ hostname: z.hostname(), html5Email: z.email({ pattern: z.regexes.html5Email }) },
  ...{ httpUrl: z.httpUrl(), iban: z.iban(), ipv4: z.ipv4(), ipv6: z.ipv6(), jwt: z.jwt() },
  ...{ ksuid: z.ksuid(), mac: z.mac(), nanoid: z.nanoid(), time: z.iso.time(), ulid: z.ulid() },
  ...{ unicodeEmail: z.email({ pattern: z.regexes.unicodeEmail }), url: z.url() },
  ...{ urlAt: z.url().startsWith("https://shop.example/"), uuid: z.uuid() },
  ...{ uuidv4: z.uuidv4(), uuidv6: z.uuidv6(), uuidv7: z.uuidv7(), xid: z.xid() },
} satisfies Record<string, z.ZodType>;

let swagger: ReturnType<typeof loadSwagger>;
let scalar: Sampler;
beforeAll(async () => {
  ensureScalar();
  swagger = loadSwagger();
  scalar = await loadScalar();
}, installationTime);

describe("The example that a documentation page makes is one that the server accepts", () => {
  test.each(Object.entries(schemas))("%s", (_name, schema) => {
    const samples = {
      swagger: swagger["3.1"](inputOf(schema)),
      oldSwagger: swagger["3.0"](inputOf(schema, { openapi: "3.0" })),
      scalar: scalar(inputOf(schema)),
    };
    const refused = Object.entries(samples).filter(
      ([, sample]) => !z.safeParse(schema, sample).success,
    );
    expect(refused).toEqual([]);
  });
});

test("a date that is sent has an example of today, not of another millennium", () => {
  const json = outputOf(ez.dateOut());
  for (const sample of [swagger["3.1"](json), swagger["3.0"](json), scalar(json)])
    expect(String(sample)).toMatch(/^20\d\d-.{5}T.{12}Z$/);
});
