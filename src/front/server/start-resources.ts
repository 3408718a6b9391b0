import { ConfigError } from "../../basics/errors.ts";
import { ensureError } from "../../wire/reply/http-error.ts";
import type { ServerConfig } from "./config/config.ts";
import type { LifecycleArguments, Resource } from "./config/resource.ts";
import { runWithin, toStepLimit } from "./connection/shutdown.ts";
import type { HttpServers } from "./http-servers.ts";

/**
 * Starts the resources in order, then runs `onStart`.
 *
 * @returns a function that undoes this in reverse order, logs what fails, and resolves to whether all has succeeded
 * @throws {@link ConfigError} when a resource cannot start, and the error of `onStart`; whatever has started is stopped.
 */
export const startResources = async (
  { resources = [], onStart, onStop, gracefulShutdown }: ServerConfig,
  { objects, logger, service }: HttpServers,
): Promise<() => Promise<boolean>> => {
  const args: LifecycleArguments = {
    get app() {
      return objects.getApp();
    },
    logger,
  };
  const hooks: Resource = { name: "hooks", start: onStart, stop: onStop };
  const started: Resource[] = [];
  const limit = toStepLimit(gracefulShutdown);
  const stop = async (): Promise<boolean> => {
    let hasSucceeded = true;
    for (const one of started.toReversed())
      try {
        const name = one === hooks ? "onStop" : "stop";
        await runWithin(name, limit, () => one.stop?.(args));
      } catch (error) {
        hasSucceeded = false;
        if (one === hooks) service.logger.error("`onStop` failed", { error });
        else service.logger.error("A resource could not be stopped", { resource: one.name, error });
      }
    return hasSucceeded;
  };
  for (const one of [...resources, hooks]) {
    try {
      await one.start?.(args);
    } catch (error) {
      await stop();
      throw one === hooks ? error : toStartError(one, error);
    }
    started.push(one);
  }
  return stop;
};

const toStartError = ({ name }: Resource, cause: unknown): ConfigError => {
  // the error of several failed connections has a code, but no message
  const { message, code } = ensureError(cause) as NodeJS.ErrnoException;
  const text = `The resource \`${name}\` could not start: ${message || code}`;
  return new ConfigError("SLP_CONFIG_RESOURCE", text, cause);
};
