import { DrizzleQueryError } from "drizzle-orm";
import createHttpError from "http-errors";
import type { ApiError } from "sallyport";

/** Codes of PostgreSQL, the operating system and sallyport: no connection, too many, a deadlock, a time limit, a restart. */
const codes =
  /^(?:08\d{3}|40001|40P01|53300|57014|57P0[1-3]|EAI_AGAIN|ECONN(?:REFUSED|RESET)|E(?:HOST|NET)UNREACH|ENOTFOUND|EPIPE|ETIMEDOUT|SLP_STORE_UNAVAILABLE)$/;
/** Of pg, whose errors of connections have no code. */
const messages =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** What to answer to other states of PostgreSQL: what a request says can be wrong only in the eyes of the database. */
const replies: Readonly<Record<string, readonly [number, string]>> = {
  "22003": [400, "A number is too large"],
  "22021": [400, "Text cannot contain the character NUL"],
  "23503": [409, "What this refers to has just been deleted"],
  "23505": [409, "There is another one with the same value"],
};

/** What the conversion declares. */
export const databaseErrors = {
  unavailable: {
    status: 503,
    description: "A part of the shop is down: try again in a few seconds",
    headers: { "Retry-After": "Seconds to wait" },
  },
} as const;

interface Thrown {
  readonly error: Error;
  readonly errors: { readonly unavailable: (parts: object) => ApiError };
}

/** Converts the errors of the database and Redis, and takes the parameters of queries out of any other error. */
export const toHttpError = ({ error, errors }: Thrown): Error => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { code = "" } = cause as { readonly code?: string };
    if (replies[code]) return createHttpError(...replies[code]);
    if (codes.test(code) || messages.test(cause.message)) {
      // for logs; sallyport never shows clients the message of an error that a system error has caused
      const parts = { headers: { "Retry-After": "5" }, cause: new Error(cause.message) };
      return Object.assign(errors.unavailable(parts), { expose: true });
    }
  }
  if (error instanceof DrizzleQueryError) {
    // parameters are personal data, and hashes of passwords: they belong in no log
    const message = `Failed query: ${error.query}`;
    const stack = error.stack?.replace(error.message, () => message);
    Object.assign(error, { message, stack, params: [] });
  }
  return error;
};
