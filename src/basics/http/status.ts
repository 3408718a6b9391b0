export const toStatusText = (status: number): string =>
  process.getBuiltinModule("node:http").STATUS_CODES[status] ?? "Error";
