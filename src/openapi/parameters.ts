import { OpenApiError } from "../errors.ts";
import { parsePathPattern } from "../routing/path-pattern.ts";
import type { Components } from "./components.ts";
import { compact } from "./json.ts";
import { formatRoute, type OperationPlace } from "./operation-place.ts";
import type { JsonObject } from "./options.ts";
import { fitsQuery, isOnlyObject, type Placement, type PlacedField } from "./placement.ts";

/** The headers that OpenAPI describes in other ways and ignores as parameters. */
const ignoredHeaders: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

/**
 * Writes the parameters of an operation.
 *
 * @throws OpenApiError when the query or the path cannot represent a parameter.
 */
export const toParameters = (
  { fields, otherParameters }: Placement,
  place: OperationPlace,
  components: Components,
): readonly JsonObject[] => {
  const parameters = fields
    .filter(({ location, name }) => location !== "header" || !ignoredHeaders.has(name))
    .map((field) => toParameter(field, place, components));
  if (!otherParameters) return parameters;
  const names = new Set(fields.map(({ name }) => name));
  let name = "otherParameters";
  while (names.has(name)) name += "_";
  const others = {
    name,
    in: "query",
    description: "Any other parameters, by their own names.",
    schema: { type: "object", additionalProperties: otherParameters },
    style: "form",
    explode: true,
  };
  return [...parameters, others];
};

const toParameter = (
  { name, location, isRequired, json }: PlacedField,
  place: OperationPlace,
  components: Components,
): JsonObject => {
  const isRest =
    location === "path" &&
    parsePathPattern(place.path).some(
      (segment) => segment.kind === "rest" && segment.name === name,
    );
  const { description, deprecated, ...schema } = json;
  const notes = isRest ? "The rest of the path, with its slashes." : undefined;
  return compact({
    name,
    in: location,
    description: joinTexts(description, notes),
    required: location === "path" || isRequired ? true : undefined,
    deprecated: deprecated === true ? true : undefined,
    schema: isRest ? { type: "string" } : schema,
    ...toStyle(name, location, json, place, components),
  });
};

const joinTexts = (...texts: readonly unknown[]): string | undefined =>
  texts.filter((text) => typeof text === "string").join(" ") || undefined;

const toStyle = (
  name: string,
  location: PlacedField["location"],
  json: JsonObject,
  place: OperationPlace,
  components: Components,
): JsonObject => {
  if (!isOnlyObject(json, components)) {
    const { type } = components.resolve(json);
    return location === "query" && type === "array" ? { style: "form", explode: true } : {};
  }
  if (location === "path" && components.resolve(json)["type"] === "array") return {};
  if (location === "query" && fitsQuery(json, place, components))
    return { style: "deepObject", explode: true };
  const cause = { method: place.method, route: place.path };
  throw new OpenApiError(
    "SLP_OPENAPI_QUERY_OBJECT",
    location === "query"
      ? `input.${name} of ${formatRoute(place)} is an object, which the query parser "simple" never returns. Set \`queryParser: "extended"\` in the configuration, declare its fields individually, or serve the endpoint with POST.`
      : `input.${name} of ${formatRoute(place)} is an object, which cannot come from ${location === "path" ? "the path" : `a ${location}`}. Declare it as a string, or take it from the body.`,
    cause,
  );
};
