interface MethodFacts {
  /** Whether the body says what is wanted; otherwise, the URL alone does. */
  readonly takesBody: boolean;
  /** Whether the request changes nothing. */
  readonly isSafe: boolean;
  /** Whether the request may be repeated. */
  readonly isIdempotent: boolean;
  /** The parts of a request that feed the input by default; later parts override earlier ones. */
  readonly sources: readonly ("body" | "files" | "params" | "query")[];
}

/**
 * The methods that endpoints may declare. Whatever depends on a method asks this table.
 *
 * @see RFC 9110, section 9.2, and for `query` RFC 10008
 */
export const methodFacts = {
  get: { takesBody: false, isSafe: true, isIdempotent: true, sources: ["query", "params"] },
  post: {
    ...{ takesBody: true, isSafe: false, isIdempotent: false },
    sources: ["body", "params", "files"],
  },
  put: { takesBody: true, isSafe: false, isIdempotent: true, sources: ["body", "params"] },
  patch: { takesBody: true, isSafe: false, isIdempotent: false, sources: ["body", "params"] },
  delete: { takesBody: false, isSafe: false, isIdempotent: true, sources: ["query", "params"] },
  query: { takesBody: true, isSafe: true, isIdempotent: true, sources: ["body", "params"] },
} as const satisfies Readonly<Record<string, MethodFacts>>;

/** A method that an endpoint may declare. */
export type Method = keyof typeof methodFacts;

export const endpointMethods = Object.keys(methodFacts) as readonly Method[];

export const isMethod = (name: string): name is Method => Object.hasOwn(methodFacts, name);

const byName: ReadonlyMap<string, Method> = new Map([
  ["HEAD", "get"],
  ...endpointMethods.map((method): [string, Method] => [method.toUpperCase(), method]),
]);

/** Returns the method whose endpoints serve a request, from the request's method; HEAD is served like GET. */
export const findMethod = (name: string): Method | undefined => byName.get(name);

/** Checks whether a request's method changes nothing. */
export const isSafe = (name: string): boolean => {
  const method = findMethod(name);
  return method !== undefined && methodFacts[method].isSafe;
};

/** Checks whether a request's method asks for what its URL names, as a link does. */
export const isRetrieval = (name: string): boolean => name === "GET" || name === "HEAD";

/**
 * Checks whether requests of a method must have a media type, even with an empty body.
 *
 * @see RFC 10008, section 2
 */
export const needsMediaType = (name: string): boolean => isSafe(name) && !isRetrieval(name);

const otherNames: ReadonlySet<string> = new Set(["HEAD", "OPTIONS", "TRACE", "CONNECT"]);

/** Checks whether a name, in upper case, is that of a method that endpoints cannot declare. */
export const isOtherMethod = (name: string): boolean => otherNames.has(name);

/** Returns the `Allow` field: the sorted methods, HEAD if there is GET, and OPTIONS if CORS is on. */
export const toAllowed = (declared: readonly Method[], hasPreflight: boolean): string =>
  [
    ...declared.map((method) => method.toUpperCase()).toSorted(),
    ...(declared.includes("get") ? ["HEAD"] : []),
    ...(hasPreflight ? ["OPTIONS"] : []),
  ].join(", ");
