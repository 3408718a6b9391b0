import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { defineCommand } from "../command.ts";
import { ContractError, toUsageError } from "../errors.ts";
import type { UncheckedOptions } from "./mock-routing.ts";
import { listenMock } from "./mock-server.ts";

export const mockCommand = defineCommand({
  description: "Serves the API without its handlers: outputs are generated from their schemas.",
  options: {
    port: { type: "string", hint: "number", description: "The port; defaults to 4010" },
    host: {
      type: "string",
      hint: "address",
      description: "The address to listen at; defaults to 127.0.0.1",
    },
    seed: { type: "string", hint: "text", description: "What generated values follow from" },
    handlers: {
      type: "string",
      hint: "file",
      description: "A module whose default export has handlers, by method and path",
    },
  },
  run: async ({ port = "4010", host, seed, handlers }, [entry], io) => {
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw toUsageError(`--port must be a number from 0 to 65535; got ${port}.`);
    // a pattern of the API that a client keeps busy is tried in another way, in linear time
    setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");
    return io.useEntry(entry, async ({ routing, config }) => {
      const options = {
        ...{ routing, config, seed },
        handlers: handlers === undefined ? undefined : await loadHandlers(handlers),
      } as UncheckedOptions;
      const { url, close } = await listenMock({ ...options, host, port: Number(port) } as never);
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
