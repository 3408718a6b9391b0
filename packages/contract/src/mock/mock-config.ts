import type { AnyEndpoint, AppConfig, CorsFunction, DocsOptions, ServerConfig } from "sallyport";
import { toMockGuard } from "./mock-endpoint.ts";

/** The configuration of an API, as for `createServer` or `attachRouting`. */
export type MockedConfig = AppConfig | Partial<ServerConfig>;

/** Returns the configuration without what runs the application's code or reaches its services. */
export const toMockConfig = (given: MockedConfig): ServerConfig => {
  const { app: _, cors = false, docs, health, ...config } = given as Partial<ServerConfig>;
  const pages = [docs ?? []].flat();
  return {
    ...config,
    cors: cors === false ? false : allowPrefer(cors),
    ...(docs !== undefined && {
      docs:
        typeof docs === "boolean"
          ? docs
          : pages.map((page) =>
              typeof page === "object" ? { ...page, ...guardPage(page) } : page,
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

type Factory = NonNullable<DocsOptions["factory"]>;

const guardPage = ({ factory }: DocsOptions): Pick<DocsOptions, "factory"> | undefined =>
  factory && {
    factory: {
      buildVoid: (definition: Parameters<Factory["buildVoid"]>[0]): AnyEndpoint =>
        toMockGuard(factory.buildVoid(definition)),
    },
  };

/** Lets pages send `Prefer` and read what was applied, along with what the API allows. */
const allowPrefer =
  (cors: CorsFunction | true): CorsFunction =>
  async (args) => {
    const headers = cors === true ? args.defaultHeaders : await cors(args);
    return append(
      append(headers, "Access-Control-Allow-Headers", "Prefer"),
      ...(["Access-Control-Expose-Headers", "Preference-Applied"] as const),
    );
  };

const append = (
  headers: Readonly<Record<string, string>>,
  name: string,
  value: string,
): Record<string, string> => {
  const known = Object.keys(headers).find((one) => one.toLowerCase() === name.toLowerCase());
  const list = known === undefined ? undefined : headers[known];
  return { ...headers, [known ?? name]: list ? `${list}, ${value}` : value };
};
