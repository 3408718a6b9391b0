import { loadNodeHttp } from "../lazy/node-modules.ts";

/** Returns the reason phrase of a status, such as `Not Found` for 404. */
export const toStatusText = (status: number): string =>
  loadNodeHttp().STATUS_CODES[status] ?? "Error";
