import type { Routing, ServeStatic } from "sallyport";
import { ContractError } from "../errors.ts";
import { generateEvent, readEvents } from "./event-stream.ts";
import { createFiles } from "./generate-content.ts";
import { listOperations, type MockedOperation } from "./list-operations.ts";
import { toMockConfig, type MockedConfig } from "./mock-config.ts";
import {
  generateError,
  generateOutput,
  toGeneration,
  toMockEndpoint,
  toMockGuard,
} from "./mock-endpoint.ts";
import type { AnyHandler, MockScene } from "./scene.ts";
import { UngeneratableError } from "./ungeneratable.ts";

export interface UncheckedOptions {
  readonly routing: Routing;
  readonly config?: MockedConfig | undefined;
  readonly seed?: number | string | undefined;
  readonly handlers?: Readonly<Record<string, AnyHandler | undefined>> | undefined;
}

/**
 * Returns a routing map and a configuration that serve an API without its handlers.
 *
 * @throws {@link ContractError} when a value cannot be generated, or a handler has no route.
 */
export const prepareMock = async ({
  routing,
  config: given = {},
  seed = 0,
  handlers = {},
}: UncheckedOptions) => {
  const config = toMockConfig(given);
  const operations = listOperations(routing, given);
  checkHandlers(handlers, operations);
  const files = createFiles();
  const scene: MockScene = { seed: String(seed), files, kept: new Map() };
  for (const operation of operations)
    await checkOperation(scene, operation, handlers[operation.key] !== undefined);
  const endpoints = operations.map((operation) => [
    operation.key,
    toMockEndpoint(scene, operation, handlers[operation.key]),
  ]);
  return {
    config,
    files,
    routing: { ...keepStatics(routing), ...Object.fromEntries(endpoints) } as Routing,
  };
};

/** Returns the static files of a routing map, with guards that ask for credentials of the declared kind. */
const keepStatics = (routing: Routing): Routing =>
  Object.fromEntries(
    Object.entries(routing).flatMap(([key, value]): [string, Routing[string]][] => {
      if (isStatic(value))
        // oxlint-disable-next-line typescript/no-misused-spread -- only members of the object itself are read
        return [[key, { ...value, guard: value.guard && toMockGuard(value.guard) }]];
      if (value === undefined || "handle" in value) return [];
      return [[key, keepStatics(value as Routing)]];
    }),
  );

const isStatic = (value: object | undefined): value is ServeStatic =>
  value !== undefined && "directory" in value && typeof value.directory === "string";

const checkHandlers = (
  handlers: Readonly<Record<string, unknown>>,
  operations: readonly MockedOperation[],
): void => {
  for (const key of Object.keys(handlers)) {
    const operation = operations.find((one) => one.key === key);
    if (!operation)
      throw new ContractError(
        `mock: \`handlers\` has "${key}", but there is no such route. Use a method and a path as in the routing map, such as "${operations[0]?.key ?? "get /users/:id"}".`,
      );
    if (readEvents(operation))
      throw new ContractError(
        `mock: \`handlers\` has "${key}", which sends events. Remove it, and choose the data of the events with .meta({ examples }).`,
      );
  }
};

/** Generates everything that an operation may send once, to find what cannot be generated. */
const checkOperation = async (
  scene: MockScene,
  operation: MockedOperation,
  isHandled: boolean,
): Promise<void> => {
  const attempt = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof UngeneratableError)) throw error;
      throw new ContractError(
        `mock: no value can be generated for ${what}${error.path} of ${operation.key}: ${error.message}. Add .meta({ examples: [...] }) to its schema, or a handler: handlers: { "${operation.key}": () => ({ ... }) }.`,
      );
    }
  };
  for (const [name, schema] of Object.entries(readEvents(operation) ?? {}))
    await attempt(`the event ${name}`, () =>
      generateEvent(name, schema, toGeneration(scene, operation, {})),
    );
  if (!isHandled) await attempt("output", () => generateOutput(scene, operation, {}));
  for (const { key, status } of operation.errors)
    await attempt(`errors.${key}`, () =>
      generateError(scene, operation, {}, { code: status, example: key }),
    );
};
