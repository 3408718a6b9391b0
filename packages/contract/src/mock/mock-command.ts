import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { defineCommand, type Io } from "../command.ts";
import { ContractError } from "../errors.ts";
import type { DocumentHandlers } from "./document/handler.ts";
import { listenDocument } from "./document/serve-document.ts";
import { toListenProblem } from "./listen-problem.ts";
import type { UncheckedOptions } from "./mock-routing.ts";
import type { ListeningMock } from "./mock-server.ts";

export const mockCommand = defineCommand({
  description: "Serves the API without its handlers: outputs are generated from their schemas.",
  usage: ["[OPTIONS] [ENTRY]", "[OPTIONS] <DOCUMENT>.json|.yaml"],
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
  run: async ({ port = "4010", host, seed, handlers: file }, [entry, ...others], io) => {
    if (others.length > 0)
      throw new ContractError(
        `\`sallyport mock\` takes one entry; got ${[entry, ...others].join(" ")}.`,
      );
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw new ContractError(`--port must be a number from 0 to 65535; got ${port}.`);
    // a pattern of the API that a client keeps busy is tried in another way, in linear time
    setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");
    const handlers = file === undefined ? undefined : await loadHandlers(file, io.load);
    const options = { host, port: Number(port), seed, handlers };
    if (entry !== undefined && /\.(?:json|ya?ml)$/i.test(entry))
      return serve(
        listenDocument({
          ...options,
          document: entry,
          handlers: handlers as DocumentHandlers | undefined,
        }),
        options,
        io,
      );
    return io.useEntry(entry, async (api) => {
      // this loads sallyport
      const { listenMock } = await import("./mock-server.ts");
      const mock = listenMock({ ...options, ...api } as UncheckedOptions as never);
      return serve(mock, options, io);
    });
  },
});

/** Serves until the process is told to end. */
const serve = async (
  mock: Promise<ListeningMock>,
  at: { readonly port: number; readonly host: string | undefined },
  { out }: Io,
): Promise<number> => {
  const { url, close } = await mock.catch((error: unknown) => {
    throw toListenProblem(error, at);
  });
  out(`The mock listens at ${url}\n`);
  const stop = new AbortController();
  const { signal } = stop;
  await Promise.race([once(process, "SIGINT", { signal }), once(process, "SIGTERM", { signal })]);
  stop.abort();
  await close();
  return 0;
};

/** @throws {@link ContractError} when the module cannot be loaded, or has no handlers. */
const loadHandlers = async (file: string, load: Io["load"]): Promise<object> => {
  const module = (await load(file)) as { readonly default?: unknown };
  if (typeof module.default === "object" && module.default !== null) return module.default;
  throw new ContractError(
    `${file} has no default export with handlers, as in: export default { "get /users/:id": () => ({ name: "Ada" }) }.`,
  );
};
