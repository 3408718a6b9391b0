import fc from "fast-check";
import { z } from "zod";

/** What the JSON endpoint takes. */
export const jsonSchema = z.object({
  id: z.int().min(1).max(1_000_000),
  name: z.string().min(1).max(20),
  nested: z.object({ flag: z.boolean(), list: z.array(z.number()).max(3) }),
});

/** What the endpoints for forms and for queries take. */
export const textSchema = z.object({
  id: z.string().regex(/^\d{1,6}$/),
  kind: z.enum(["red", "green"]),
});

/** What the endpoint with a path parameter takes. */
export const pathSchema = z.object({ id: z.string().regex(/^\d{1,6}$/) });

/** The content that the endpoint for uploads takes, and nothing else. */
export const fileContent = "the one good content";

/** A request of the fuzz. */
export interface Case {
  readonly method: "GET" | "POST";
  readonly target: string;
  readonly contentType?: string | undefined;
  readonly body?: Uint8Array | undefined;
  /** Whether an independent look at it says that no handler may run; else it may be good by chance. */
  readonly isBad: boolean;
}

const jsonType = "application/json";
const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data; boundary=b";

export const goodJson = '{"id":7,"name":"seven","nested":{"flag":true,"list":[1,2]}}';

/** A multipart body of such parts. */
export const toMultipart = (parts: readonly string[]): string =>
  `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;
export const toField = (name: string, content: string): string =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${content}`;
export const toFile = (name: string, content: string, fileName = "a.txt"): string =>
  `Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: text/plain\r\n\r\n${content}`;
export const goodMultipart = toMultipart([toField("title", "seven"), toFile("file", fileContent)]);

export const toBytes = (text: string): Uint8Array => Buffer.from(text);

/** A good request of each kind. */
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

/** A kind of input. */
export type Kind = keyof typeof goodCases;

/** The text of bytes that are UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Text with a few pieces cut out, doubled, or replaced by something odd. */
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

/** Bytes of any kind. */
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

/** Sends good content under a type that is not its own. */
export const wrongTypeCases = (kind: "json" | "form" | "multipart"): fc.Arbitrary<Case> =>
  wrongTypes.map((contentType) => ({ ...goodCases[kind], contentType, isBad: true }));
