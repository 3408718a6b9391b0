import { RoutingError } from "../../basics/errors.ts";
import {
  formatRoute,
  type EndpointEntry,
  type StaticEntry,
} from "../../define/routing/walk-routing.ts";

interface Undecided {
  readonly path: string;
  readonly route: string;
  /** The endpoint, or the static files. */
  readonly of: object;
}

/** Lists the routes for which nobody has decided who may call them; static files as `FILES /path`. */
export const listUndecided = (
  endpoints: readonly EndpointEntry[],
  statics: readonly StaticEntry[],
): readonly Undecided[] => [
  ...endpoints
    .filter(({ endpoint }) => endpoint.access === undefined)
    .map(({ method, path, endpoint }) => ({
      path,
      route: formatRoute(method, path),
      of: endpoint,
    })),
  ...statics
    .filter(({ files: { access, guard } }) => (access ?? guard?.access) === undefined)
    .map(({ path, files }) => ({ path, route: formatRoute("files", path), of: files })),
];

/** @throws {@link RoutingError} when nobody has decided who may call a route. */
export const checkAccess = (
  endpoints: readonly EndpointEntry[],
  statics: readonly StaticEntry[],
): void => {
  const undecided = listUndecided(endpoints, statics);
  const [first] = undecided;
  if (!first) return;
  const routes = undecided.map(({ route }) => route).join(", ");
  throw new RoutingError(
    "SLP_ROUTING_ACCESS",
    `The \`access\` option is "explicit", but ${undecided.length === 1 ? "this route is" : `these ${undecided.length} routes are`} neither public nor protected: ${routes}. Set \`access: "public"\` on the endpoint, on \`new ServeStatic\`, or in \`docs\` or \`health\`; or set \`security\` on a middleware or on the endpoint. \`sallyport routes --check\` prints where each is built.`,
    { path: first.path },
  );
};
