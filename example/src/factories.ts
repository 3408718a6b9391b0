import { defaultEndpointsFactory, problemResultHandler } from "sallyport";
import { transaction } from "sallyport/transaction";
import { authentication } from "./accounts/authentication.ts";
import { database, transact } from "./database/connection.ts";
import { databaseErrors, toHttpError } from "./to-http-error.ts";

/** Runs the rest of a request in a transaction, which is rolled back if the request fails. */
export const inTransaction = transaction((work) => transact(work));

/** The factory for endpoints that anyone may call. */
export const publicFactory = defaultEndpointsFactory
  .withAccess("public")
  .addContext(() => ({ db: database() }))
  .onError({ errors: databaseErrors, handler: toHttpError });

/** The factory for endpoints that need an account. */
export const accountFactory = publicFactory.addMiddleware(authentication);

/** The factory for endpoints of administrators, which send errors as problem details. */
export const adminFactory = accountFactory
  .addMiddleware({
    errors: { 403: "Only for administrators" },
    handler: ({ ctx, errors }) => {
      if (ctx.caller.role !== "admin") throw errors[403]();
    },
  })
  .withResultHandler(problemResultHandler);

/** The version of what an endpoint has returned, for its ETag. */
export const versionOf = ({ output }: { readonly output: { readonly version: number } }): string =>
  String(output.version);
