import { endpointMethods } from "../http/method.ts";
import { isBodyLimit } from "./body-limit.ts";
import { aBoolean, assertKeys, assertValues, failValue } from "./check-definition.ts";
import type { DefinitionBase } from "./endpoint-definition.ts";
import { inputSources as knownSources } from "./input-sources.ts";
import { uploadLimits, type UploadLimits } from "./upload-limits.ts";

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const assertSources = (where: string, sources: unknown): void => {
  if (sources === undefined) return;
  if (!isObject(sources)) {
    assertSourceList(where, "inputSources", sources);
    return;
  }
  assertKeys(`${where}: \`inputSources\``, sources, endpointMethods);
  for (const [method, list] of Object.entries(sources))
    if (list !== undefined) assertSourceList(where, `inputSources.${method}`, list);
};

const assertSourceList = (where: string, name: string, list: unknown): void => {
  const isSource = (one: unknown): boolean => knownSources.some((known) => known === one);
  if (!Array.isArray(list) || !list.every(isSource))
    failValue(where, name, `an array of ${knownSources.join(", ")}`, list);
};

const assertBodyLimit = (where: string, bodyLimit: unknown): void => {
  if (bodyLimit === undefined || isBodyLimit(bodyLimit)) return;
  if (!isObject(bodyLimit)) {
    const expected = "a positive integer, in bytes, or an object with bytes, values";
    failValue(where, "bodyLimit", expected, bodyLimit);
  }
  assertKeys(`${where}: \`bodyLimit\``, bodyLimit as object, ["bytes", "values"]);
  for (const [name, limit] of Object.entries(bodyLimit as object) as [string, unknown][])
    if (limit !== undefined && !isBodyLimit(limit))
      failValue(where, `bodyLimit.${name}`, "a positive integer", limit);
};

/** @throws {@link DefinitionError} when an option for the sources of the input, or for the body, is invalid. */
export const assertInputOptions = (
  where: string,
  definition: Pick<
    DefinitionBase<never, never>,
    "bodyLimit" | "forms" | "inputSources" | "keepRawBody" | "upload"
  >,
): void => {
  const { bodyLimit, inputSources, upload } = definition;
  assertSources(where, inputSources);
  assertValues(where, definition, { keepRawBody: aBoolean, forms: aBoolean });
  assertBodyLimit(where, bodyLimit);
  if (upload === undefined) return;
  const { limits } = upload as { readonly limits?: UploadLimits };
  if (!isObject(limits)) failValue(where, "upload", "an object with `limits`", upload);
  assertKeys(`${where}: \`upload\``, upload, ["limits"]);
  assertKeys(`${where}: \`upload.limits\``, limits as object, uploadLimits);
  for (const [name, limit] of Object.entries(limits as object) as [string, unknown][])
    if (limit !== undefined && !(Number.isSafeInteger(limit) && Number(limit) >= 0))
      failValue(where, `upload.limits.${name}`, "an integer, 0 or more", limit);
};
