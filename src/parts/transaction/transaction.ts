import { defaults } from "../../basics/defaults.ts";
import type { HandlerArguments, MaybePromise } from "../../define/endpoint/handler-arguments.ts";
import { Middleware, type Passed } from "../../define/endpoint/middleware.ts";
import { ServerFault } from "../../basics/errors.ts";
import {
  be,
  checkOptions,
  isFunction,
  isText,
  refuseValue,
} from "../../basics/messages/option-checks.ts";
import type { EmptyObject } from "../../basics/schemas/schema.ts";

type Job = () => unknown;

/** Takes a function that runs once the transaction is committed, and never if it is rolled back. */
export type AfterCommit = (job: Job) => void;

/** Runs the rest of the request with a transaction; rejects if that transaction must be rolled back. */
export type TransactionWork = <Tx>(tx: Tx) => Promise<Passed<Tx>>;

/** The context that the middleware gives: the transaction under its name, and `afterCommit`. */
export type TransactionContext<Tx, Name extends string> = {
  readonly [Key in Name | "afterCommit"]: Key extends "afterCommit" ? AfterCommit : Tx;
};

/** The options of {@link transaction}. */
export interface TransactionOptions<Name extends string = string> {
  /**
   * The name of the transaction in the context.
   *
   * @default "tx"
   */
  readonly name?: Name | undefined;
}

const optionChecks = {
  name: be("a name other than `afterCommit`", (value) => isText(value) && value !== "afterCommit"),
};

/**
 * Creates a middleware that runs the rest of a request in a transaction, once the input is valid. Handlers find the
 * transaction as `tx` in their context, and `afterCommit`, which takes jobs for after the commit. Within another such
 * transaction, the jobs wait for the outer commit.
 *
 * @param run runs `work` once in a transaction: commits if it resolves, rolls back if it rejects, and returns its result
 * @throws {@link DefinitionError} when `run` is not a function or an option is invalid.
 * @example
 * factory.addMiddleware(transaction((work) => db.transaction(work)));
 */
export const transaction = <Tx, const Name extends string = "tx", Context = EmptyObject>(
  run: (
    work: TransactionWork,
    args: HandlerArguments<EmptyObject, Context>,
  ) => MaybePromise<Passed<Tx>>,
  options: TransactionOptions<Name> = {},
): Middleware<Context, TransactionContext<Tx, Name>> => {
  if (!isFunction(run))
    refuseValue("transaction", "run", "a function such as (work) => db.transaction(work)", run);
  checkOptions("transaction", options, optionChecks);
  const { name = defaults.transaction.name } = options;
  const middleware: Middleware<Context, TransactionContext<Tx, Name>> = new Middleware({
    afterValidation: true,
    around: async (args: HandlerArguments<EmptyObject, Context>, next) => {
      const jobs: Job[] = [];
      let isDone = false;
      let isOver = false;
      const collect: AfterCommit = (job) => {
        if (isOver)
          throw new ServerFault(
            "SLP_AFTER_COMMIT_LATE",
            "`afterCommit` was called after the transaction had ended. Await what calls it, in the handler.",
          );
        jobs.push(job);
      };
      const { afterCommit = collect } = args.ctx as { readonly afterCommit?: AfterCommit };
      const work = async (tx: Tx) => {
        const passed = await next({ [name]: tx, afterCommit });
        isDone = true;
        return passed;
      };
      try {
        // what `next` resolves to carries the type of the context, and `work` that of the transaction
        const passed = await run(work as unknown as TransactionWork, args);
        // a `run` that hides the error of its work has committed nothing
        if (isDone) await runJobs(jobs, args.logger);
        return passed as Passed<never>;
      } finally {
        isOver = true;
      }
    },
  });
  return Object.assign(middleware, { name: "transaction" });
};

/** Runs jobs in turn. What is committed stays, so the client does not hear of a job that fails. */
const runJobs = async (
  jobs: readonly Job[],
  logger: HandlerArguments<EmptyObject, EmptyObject>["logger"],
): Promise<void> => {
  for (const job of jobs)
    try {
      await job();
    } catch (error) {
      logger.error("A job after the commit failed", { error });
    }
};
