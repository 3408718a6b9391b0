import type { AnyEndpoint, AnyMiddleware, ErrorDeclaration, Method, Routing } from "sallyport";
import { generateOpenApi, type DocumentedConfig, type OpenApiResponse } from "sallyport/openapi";

/** An operation of the API, and what it may send. */
export interface MockedOperation {
  readonly method: Method;
  /** The path as in the routing map, such as `/users/:id`. */
  readonly path: string;
  /** As in a routing map and in `handlers`: `get /users/:id`. */
  readonly key: string;
  readonly endpoint: AnyEndpoint;
  /** The media type of each status; undefined for those without a body. */
  readonly replies: ReadonlyMap<number, string | undefined>;
  readonly errors: readonly DeclaredError[];
}

export interface DeclaredError {
  /** The status or the name under which the error is declared. */
  readonly key: string;
  readonly status: number;
  readonly declaration: ErrorDeclaration;
}

/** What a middleware adds to an operation of a method. */
export const toAdditions = (middleware: AnyMiddleware, method: Method) =>
  middleware.addsFor?.(["get", "query"].includes(method)) ?? middleware;

/** Lists the operations of an API, as its OpenAPI document has them. */
export const listOperations = (
  routing: Routing,
  config: DocumentedConfig,
): readonly MockedOperation[] => {
  const operations: MockedOperation[] = [];
  generateOpenApi({
    routing,
    config,
    info: { title: "Mock", version: "0" },
    override: {
      operation: ({ method, path, endpoint, operation: { responses = {} } }) => {
        if (method === "head") return;
        const replies = Object.entries(responses).map(
          ([status, response]) => [Number(status), response] as const,
        );
        operations.push({
          ...{ method, path, endpoint, key: `${method} ${path}` },
          replies: new Map(replies.map(([status, response]) => [status, toType(response)])),
          errors: listErrors(endpoint, method),
        });
      },
    },
  });
  return operations;
};

const toType = (response: OpenApiResponse | object): string | undefined => {
  const { content = {} } = response as Partial<OpenApiResponse>;
  return Object.keys(content).find((type) => !type.includes("*"));
};

/** Lists the errors that an endpoint and its middlewares declare, those of the endpoint first. */
export const listErrors = (endpoint: AnyEndpoint, method: Method): readonly DeclaredError[] => {
  const declared = [endpoint, ...endpoint.middlewares.map((one) => toAdditions(one, method))];
  const errors = declared.flatMap(({ errors: own = {} }) =>
    Object.entries(own).map(([key, one]) => {
      const declaration = typeof one === "string" ? { description: one } : one;
      return { key, declaration, status: declaration.status ?? Number(key) };
    }),
  );
  return errors.filter(({ key }, index) => errors.findIndex((one) => one.key === key) === index);
};
