import type { Components } from "./components.ts";
import { compact, isObject, listOf } from "./json.ts";
import type { JsonObject, OpenApiVersion } from "./options.ts";

/** The media type of server-sent events. */
export const eventStreamType = "text/event-stream";

/** Describes the events of a stream; `itemSchema` is standard as of 3.2, and an extension in earlier versions. */
export const toEventStreamMedia = (
  events: JsonObject,
  version: OpenApiVersion,
  components: Components,
): JsonObject => {
  const options = events["oneOf"] ?? events["anyOf"] ?? [events];
  const items = listOf(options)
    .filter(isObject)
    .map((option) => toItem(components.resolve(option)));
  const itemSchema = items.length === 1 ? items[0] : { oneOf: items };
  if (version === "3.2") return { itemSchema };
  return { schema: { type: "string" }, "x-itemSchema": itemSchema };
};

/** Describes one event, whose data is a string that contains JSON. */
const toItem = (event: JsonObject): JsonObject => {
  const properties = isObject(event["properties"]) ? event["properties"] : {};
  const { data, ...others } = properties;
  return compact({
    ...event,
    properties: {
      ...others,
      data: { type: "string", contentMediaType: "application/json", contentSchema: data },
    },
  });
};
