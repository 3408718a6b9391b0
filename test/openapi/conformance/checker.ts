import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { JsonObject } from "sallyport/openapi";
import type { Answer } from "../../http/harness.ts";
import type { Operation } from "../generate.ts";
import { toKey, type Draft } from "./requests.ts";

/** Header fields that any response may have, although documents do not list them. */
const ordinary: ReadonlySet<string> = new Set([
  ...["content-type", "content-length", "date", "connection", "keep-alive", "transfer-encoding"],
  ...["x-content-type-options", "cache-control", "accept", "x-accel-buffering", "vary"],
]);

/** Header fields that the content of a file also has. */
const ofFiles: ReadonlySet<string> = new Set([
  "accept-ranges",
  "etag",
  "last-modified",
  "x-content-as",
]);

type Headers = Readonly<Record<string, JsonObject>>;

/** Checks requests and responses against a document. */
export class Checker {
  readonly #document: JsonObject;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<JsonObject, ValidateFunction>();

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
    formats.default(this.#ajv);
    this.#ajv.addSchema({ ...document, $id: "document:/" });
  }

  /** Returns what the document does not allow in a response, or undefined. */
  checkAnswer(operation: Operation, { status, headers, text }: Answer): string | undefined {
    const response = this.#resolve(operation.responses[String(status)]) as
      | Operation["responses"][string]
      | undefined;
    if (!response) return `status ${status} is not documented: ${text.slice(0, 300)}`;
    const declared = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
    const isFile = response.content?.["*/*"] !== undefined;
    const isKnown = (name: string): boolean =>
      ordinary.has(name) || declared.has(name) || (isFile && ofFiles.has(name));
    const strange = Object.keys(headers).find((name) => !isKnown(name));
    if (strange !== undefined) return `header ${strange} of ${status} is not documented`;
    for (const [name, header] of Object.entries((response.headers ?? {}) as Headers)) {
      const value = headers[name.toLowerCase()];
      if (value === undefined && header["required"])
        return `header ${name} of ${status} is missing`;
      const misfit = value && this.#validateText(header["schema"] as JsonObject, value);
      if (misfit) return `header ${name} of ${status} does not fit: ${misfit}`;
    }
    const type = headers["content-type"]?.split(";")[0];
    if (!response.content)
      return text === "" ? undefined : `${status} has a body, which is not documented`;
    const { [type ?? ""]: media = response.content["*/*"] } = response.content;
    if (!media || type === undefined)
      return `${status} is of type ${String(type)}, which is not documented`;
    if (type === "text/event-stream") return this.#checkEvents(media, text);
    if (isFile || !/json/.test(type)) return undefined;
    const wrong = this.validate(media.schema, JSON.parse(text));
    return wrong && `the body of ${status} does not fit: ${wrong}`;
  }

  #checkEvents(media: JsonObject, text: string): string | undefined {
    const schema = (media["itemSchema"] ?? media["x-itemSchema"]) as JsonObject | undefined;
    if (!schema) return "the events are not documented";
    const options = (schema["oneOf"] ?? [schema]) as readonly JsonObject[];
    for (const block of text.split("\n\n")) {
      const fields = [...block.matchAll(/^(event|data|id): ?(.*)$/gm)].map(([, name, value]) => [
        name,
        value,
      ]);
      if (fields.length === 0) continue;
      const event = Object.fromEntries(fields) as JsonObject;
      const wrong = this.validate(schema, event);
      if (wrong) return `an event does not fit: ${wrong}`;
      const option = options.find((one) => !this.validate(one, event));
      const { data } = (option?.["properties"] ?? {}) as Record<string, JsonObject>;
      const inside = this.validate(
        (data?.["contentSchema"] ?? {}) as JsonObject,
        JSON.parse(String(event["data"])),
      );
      if (inside) return `the data of an event does not fit: ${inside}`;
    }
    return undefined;
  }

  /** Returns what the document does not allow in an accepted request, or undefined. */
  checkRequest(operation: Operation, draft: Draft): string | undefined {
    for (const parameter of operation.parameters ?? []) {
      const value = draft.parameters.get(toKey(parameter));
      if (value === undefined) {
        if (parameter["required"] === true)
          return `${toKey(parameter)} is required, but not needed`;
        continue;
      }
      const wrong = this.#validateText(parameter["schema"] as JsonObject, value);
      if (wrong) return `${toKey(parameter)} was accepted, but does not fit: ${wrong}`;
    }
    const { requestBody } = operation;
    if (draft.rawBody !== undefined) return "a malformed body was accepted";
    if (!requestBody) return undefined;
    if (draft.body === undefined)
      return requestBody.required === true ? "the body is required, but not needed" : undefined;
    const media = requestBody.content[draft.mediaType ?? "application/json"];
    if (!media) return `a body of type ${String(draft.mediaType)} was accepted`;
    if (!draft.mediaType?.includes("json")) return undefined;
    const wrong = this.validate(media.schema, draft.body);
    return wrong && `the body was accepted, but does not fit: ${wrong}`;
  }

  #resolve(value: object | undefined): object | undefined {
    const reference = (value as JsonObject | undefined)?.["$ref"];
    if (typeof reference !== "string") return value;
    let target: unknown = this.#document;
    for (const key of reference.slice(2).split("/")) target = (target as JsonObject)[key];
    return target as JsonObject;
  }

  /** Validates text from a URL or a header, converted to any type that it can represent. */
  #validateText(schema: JsonObject, value: unknown): string | undefined {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return this.validate(schema, value);
    const texts = [value].flat().map(String);
    const readings: unknown[] = [texts, ...(texts.length === 1 ? texts : [])];
    const [text = ""] = texts;
    if (texts.length === 1 && text.trim() !== "" && Number.isFinite(Number(text)))
      readings.push(Number(text), [Number(text)]);
    // an empty string is coerced to 0
    if (text === "") readings.push(0);
    const wrongs = readings.map((reading) => this.validate(schema, reading));
    return wrongs.includes(undefined) ? undefined : wrongs[0];
  }

  /** Returns what of a value does not fit a schema, or undefined. */
  validate(schema: JsonObject, value: unknown): string | undefined {
    const known = this.#validators.get(schema);
    const validate = known ?? this.#ajv.compile(withBase(schema) as JsonObject);
    this.#validators.set(schema, validate);
    if (validate(value)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath} ${error?.message}`;
  }
}

/** Returns a copy of a schema whose references point into the document. */
const withBase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withBase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      // Ajv's `discriminator` keyword is stricter than OpenAPI's
      if (key === "discriminator") return [];
      return [[key, key === "$ref" ? `document:/${String(inner)}` : withBase(inner)]];
    }),
  );
};
