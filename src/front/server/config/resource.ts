import type { Express } from "express";
import type { Logger } from "../../../basics/logger/logger.ts";

/** The argument of what starts and stops with a server. */
export interface LifecycleArguments {
  /** The Express application that serves the API; without hooks, Express is loaded when this is first read. */
  readonly app: Express;
  /** The logger in use: the built-in one, or your own in a wrapper, so `logger.info(message, fields)` suits any. */
  readonly logger: Logger;
}

/** Something that a server needs, such as a database; it has `start`, `stop` or both. */
export interface Resource {
  /** The name in errors and in the log. */
  readonly name: string;
  /** Runs before the server listens, and before the resources that follow start. */
  readonly start?: ((args: LifecycleArguments) => unknown) | undefined;
  /** Runs after the last request, and after the resources that follow have stopped; not if `start` has failed. */
  readonly stop?: ((args: LifecycleArguments) => unknown) | undefined;
}
