/** Returns the reason phrase of a status, such as `Not Found` for 404. */
export const toStatusText = (status: number): string =>
  process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "Error";
