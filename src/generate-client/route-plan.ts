import { defaultInputSources } from "../endpoint/input-sources.ts";
import { listInputSchemas, type OperationPlace } from "../openapi/operation-place.ts";
import { isForm } from "../schemas/form.ts";
import { takesRawBody } from "../schemas/raw.ts";
import { hasOneJson, type StatusReply } from "./reply-kinds.ts";
import type { RoutePage } from "./route-page.ts";
import { quote } from "./type-text.ts";
import type { RevivalWriter } from "./write-revival.ts";

/** Writes the run-time description of a route. */
export const writePlan = (
  place: OperationPlace,
  replies: readonly StatusReply[],
  page: RoutePage | undefined,
  revival: RevivalWriter | undefined,
): string => {
  const { method, sources, endpoint } = place;
  const isUsual = sources.join() === defaultInputSources[method].join();
  const schemas = listInputSchemas(endpoint);
  const body = schemas.some(takesRawBody) ? "raw" : schemas.some(isForm) ? "form" : undefined;
  const kinds = replies.map(
    ({ status, bodies }) =>
      `${status}: [${[...new Set(bodies.map(({ kind }) => quote(kind)))].join(", ")}]`,
  );
  const parts = [
    ...(isUsual ? [] : [`sources: [${sources.map(quote).join(", ")}]`]),
    ...(body ? [`body: ${quote(body)}`] : []),
    `replies: { ${kinds.join(", ")} }`,
    ...(revival ? writeRevivals(replies, revival) : []),
    ...(page ? [`items: ${quote(page.itemsName)}`] : []),
  ];
  return `{ ${parts.join(", ")} }`;
};

/** Writes the functions that revive the dates of bodies and events. */
const writeRevivals = (
  replies: readonly StatusReply[],
  revival: RevivalWriter,
): readonly string[] => {
  const revivals = replies.flatMap(({ status, bodies }) => {
    const schema = bodies.find(({ kind }) => kind === "json")?.schema;
    const text = schema && hasOneJson(bodies) ? revival.write(schema, "output") : undefined;
    return text === undefined ? [] : [`${status}: ${text}`];
  });
  const events = replies.flatMap(({ bodies }) => bodies).find(({ isEventStream }) => isEventStream);
  const event = events?.schema && revival.write(events.schema, "output");
  return [
    ...(revivals.length > 0 ? [`revive: { ${revivals.join(", ")} }`] : []),
    ...(event === undefined ? [] : [`reviveEvent: ${event}`]),
  ];
};
