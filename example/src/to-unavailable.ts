import createHttpError from "http-errors";

/** Of PostgreSQL: broken connections, too many connections, and a server that stops or starts. */
const states = /^(?:08\d{3}|53300|57P0[1-3])$/;
/** Of the operating system. */
const codes =
  /^(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/;
/** Of pg, whose errors of connections have no code. */
const messages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether an error, or what caused it, tells that the database or Redis cannot be reached. */
const isLoss = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (code === "SLP_STORE_UNAVAILABLE") return true;
  if (typeof code === "string" && (states.test(code) || codes.test(code))) return true;
  return messages.test(error.message) || isLoss(error.cause);
};

/** Returns a 503 for an error that tells that the database or Redis cannot be reached, and any other error as it is. */
export const toUnavailable = (error: unknown): unknown =>
  isLoss(error)
    ? createHttpError(503, "A part of the shop is down: try again in a few seconds", {
        expose: true,
        headers: { "Retry-After": "5" },
      })
    : error;
