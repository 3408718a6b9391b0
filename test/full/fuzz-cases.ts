import fc from "fast-check";
import { z } from "zod";

/** The input schema of the JSON endpoint. */
export const jsonSchema = z.object({
  id: z.int().min(1).max(1_000_000),
  name: z.string().min(1).max(20),
  nested: z.object({ flag: z.boolean(), list: z.array(z.number()).max(3) }),
});

/** The input schema of the endpoints for forms and for queries. */
export const textSchema = z.object({
  id: z.string().regex(/^\d{1,6}$/),
  kind: z.enum(["red", "green"]),
});

/** The input schema of the endpoint with a path parameter. */
export const pathSchema = z.object({ id: z.string().regex(/^\d{1,6}$/) });

/** The only content that the upload endpoint accepts. */
export const fileContent = "the one good content";

/** A request in the fuzz test. */
export interface Case {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly contentType?: string | undefined;
  readonly body?: Uint8Array | undefined;
  /** Whether no handler may run, according to an independent check; otherwise the request may be valid by chance. */
  readonly isBad: boolean;
}

const jsonType = "application/json";
const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data; boundary=b";

export const goodJson = '{"id":7,"name":"seven","nested":{"flag":true,"list":[1,2]}}';

/** Creates a multipart body from parts. */
export const toMultipart = (parts: readonly string[]): string =>
  `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;
export const toField = (name: string, content: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${content}`;
export const toFile = (name: string, content: string, fileName = "a.txt"): string =>
  `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: text/plain\r\n\r\n${content}`;
export const goodMultipart = toMultipart([toField("title", "seven"), toFile("file", fileContent)]);

export const toBytes = (text: string): Uint8Array => Buffer.from(text);

/** A valid request of each kind. */
export const goodCases = {
  json: { method: "POST", target: "/json", contentType: jsonType, body: toBytes(goodJson) },
  form: { method: "POST", target: "/form", contentType: formType, body: toBytes("id=7&kind=red") },
  query: { method: "GET", target: "/query?id=7&kind=green" },
  path: { method: "GET", target: "/item/7" },
  multipart: {
    method: "POST",
    target: "/upload",
    contentType: multipartType,
    body: toBytes(goodMultipart),
  },
} as const satisfies Record<string, Omit<Case, "isBad">>;

/** The name of a kind of input. */
export type Kind = keyof typeof goodCases;

/** Decodes bytes as UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Generates a string with a few pieces cut out, doubled, or replaced by something unusual. */
export const mutationsOf = (good: string, odd: readonly string[]): fc.Arbitrary<Uint8Array> =>
  fc
    .array(
      fc.record({
        at: fc.nat(good.length),
        length: fc.nat(12),
        put: fc.oneof(
          fc.constantFrom(...odd),
          fc.string({ maxLength: 8 }),
          fc.string({ unit: "binary", maxLength: 4 }),
        ),
      }),
      { minLength: 1, maxLength: 4 },
    )
    .map((edits) =>
      toBytes(
        edits.reduce(
          (text, { at, length, put }) => text.slice(0, at) + put + text.slice(at + length),
          good,
        ),
      ),
    );

/** A generator of arbitrary bytes. */
export const bytes = fc.uint8Array({ maxLength: 200 });

const wrongTypes = fc.constantFrom(
  "",
  "text/plain",
  "application/json garbage",
  "application/jsonx",
  "application/json; charset=utf-16",
  "application/json; charset",
  "application/json, text/plain",
  "application/octet-stream",
  "multipart/form-data",
  'multipart/form-data; boundary=""',
  `multipart/form-data; boundary=${"b".repeat(71)}`,
  "multipart/form-data; boundary=c",
  "a/b; =; ;;",
  "/",
);

/** Generates requests with valid content, but a wrong content type. */
export const wrongTypeCases = (kind: "json" | "form" | "multipart"): fc.Arbitrary<Case> =>
  wrongTypes.map((contentType) => ({ ...goodCases[kind], contentType, isBad: true }));
