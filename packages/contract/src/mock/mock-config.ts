import type { AppConfig, ServerConfig } from "sallyport";

/** The configuration of an API, as for `createServer` or `attachRouting`. */
export type MockedConfig = AppConfig | Partial<ServerConfig>;

/** Returns the configuration without what runs the application's code or reaches its services. */
export const toMockConfig = (given: MockedConfig): ServerConfig => {
  const { app: _, docs, health, ...config } = given as Partial<ServerConfig>;
  const pages = [docs ?? []].flat();
  return {
    cors: false,
    ...config,
    ...(docs !== undefined && {
      docs:
        typeof docs === "boolean"
          ? docs
          : pages.map((page) =>
              typeof page === "object" ? { ...page, factory: undefined } : page,
            ),
    }),
    ...(health !== undefined && {
      health: typeof health === "object" ? { ...health, checks: undefined } : health,
    }),
    ...{ resources: [], onStart: undefined, onStop: undefined, onError: undefined },
    ...{ beforeRouting: undefined, afterRouting: undefined, telemetry: undefined },
    ...{ childLoggerProvider: undefined, https: undefined },
  } as ServerConfig;
};
