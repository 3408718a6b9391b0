import { loadNodeHttp } from "../lazy/node-modules.ts";

/** Checks whether a value is a status that an error may have: an integer from 400 to 599. */
export const isErrorStatus = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 400 && value <= 599;

/** Returns the reason phrase of a status, such as `Not Found` for 404. */
export const toStatusText = (status: number): string =>
  loadNodeHttp().STATUS_CODES[status] ?? "Error";
