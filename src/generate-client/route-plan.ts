import { defaultInputSources } from "../endpoint/input-sources.ts";
import { listInputSchemas, type OperationPlace } from "../openapi/operation-place.ts";
import { isForm } from "../schemas/form.ts";
import { takesRawBody } from "../schemas/raw.ts";
import type { StatusReply } from "./reply-kinds.ts";
import type { RoutePage } from "./route-page.ts";
import { quote } from "./type-text.ts";

/** Writes what a client knows of a route when it runs. */
export const writePlan = (
  place: OperationPlace,
  replies: readonly StatusReply[],
  page: RoutePage | undefined,
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
    ...(page ? [`items: ${quote(page.itemsName)}`] : []),
  ];
  return `{ ${parts.join(", ")} }`;
};
