import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { defineCommand } from "../command.ts";
import { ContractError, toUsageError } from "../errors.ts";
import type { UncheckedOptions } from "./mock-routing.ts";
import { listenMock } from "./mock-server.ts";

export const mockCommand = defineCommand({
  description: "Serves the API without its handlers: outputs are generated from their schemas.",
  options: {
    port: { type: "string", hint: "number", description: "The port; defaults to 4010" },
    seed: { type: "string", hint: "text", description: "What generated values follow from" },
    handlers: {
      type: "string",
      hint: "file",
      description: "A module whose default export has handlers, by method and path",
    },
  },
  run: async ({ port = "4010", seed, handlers }, [entry], io) => {
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw toUsageError(`--port must be a number from 0 to 65535; got ${port}.`);
    return io.useEntry(entry, async ({ routing, config }) => {
      const options = {
        ...{ routing, config, seed },
        handlers: handlers === undefined ? undefined : await loadHandlers(handlers),
      } as UncheckedOptions;
      const { url, close } = await listenMock({ ...options, port: Number(port) } as never);
      io.out(`The mock listens at ${url}\n`);
      const stop = new AbortController();
      const { signal } = stop;
      await Promise.race([
        once(process, "SIGINT", { signal }),
        once(process, "SIGTERM", { signal }),
      ]);
      stop.abort();
      await close();
      return 0;
    });
  },
});

/** @throws {@link ContractError} when the module cannot be loaded, or has no handlers. */
const loadHandlers = async (file: string): Promise<object> => {
  const module = (await import(pathToFileURL(resolve(file)).href).catch((error: unknown) => {
    throw new ContractError(`${file} cannot be loaded: ${String(error)}`);
  })) as { readonly default?: unknown };
  if (typeof module.default === "object" && module.default !== null) return module.default;
  throw new ContractError(
    `${file} has no default export with handlers, as in: export default { "get /users/:id": () => ({ name: "Ada" }) }.`,
  );
};
