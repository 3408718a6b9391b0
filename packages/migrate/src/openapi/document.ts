import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { UsageError } from "../usage-error.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const toText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** An OpenAPI document, with its references. */
export class ApiDocument {
  readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  get schemas(): JsonObject {
    return toObject(toObject(this.root["components"])["schemas"]);
  }

  /** Follows a reference to anything but a schema. @throws {@link UsageError} when it leads nowhere. */
  resolve(value: unknown): JsonObject {
    const object = toObject(value);
    const reference = object["$ref"];
    if (typeof reference !== "string") return object;
    if (!reference.startsWith("#/"))
      throw new UsageError(
        `The reference ${reference} leads to another file: bundle the document first.`,
      );
    let target: unknown = this.root;
    for (const part of reference.slice(2).split("/"))
      target =
        toObject(target)[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
    if (!isObject(target))
      throw new UsageError(`The reference ${reference} leads nowhere: correct the document.`);
    return this.resolve(target);
  }
}

/** The name in a reference to a schema of the components. */
export const schemaName = (schema: JsonObject): string | undefined =>
  /^#\/components\/schemas\/([^/]+)$/.exec(toText(schema["$ref"]) ?? "")?.[1];

/** @throws {@link UsageError} when the file is not a document of a known version. */
export const readDocument = (file: string): ApiDocument => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`Cannot read ${file}: check the path.`);
  }
  let root: unknown;
  try {
    root = parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new UsageError(`${file} is neither YAML nor JSON: ${reason}`);
  }
  const version = toText(toObject(root)["openapi"]);
  if (version === undefined || !/^3\.[01]\./.test(version))
    throw new UsageError(
      `${file} is no document of OpenAPI 3.0 or 3.1: its member \`openapi\` is ${version ?? "missing"}.`,
    );
  return new ApiDocument(toObject(root));
};
