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

/** The methods whose endpoints serve requests, by the method of the request; HEAD is served like GET. */
export const methodsByName: ReadonlyMap<string, Method> = new Map([
  ["HEAD", "get"],
  ...endpointMethods.map((method): [string, Method] => [method.toUpperCase(), method]),
]);

const namesOf = (has: (facts: MethodFacts) => boolean): ReadonlySet<string> =>
  new Set([...methodsByName].flatMap(([name, method]) => (has(methodFacts[method]) ? name : [])));

/** The methods of requests that change nothing. */
export const safeNames = namesOf(({ isSafe }) => isSafe);

/** The methods of requests that ask for what the URL names, as a link does. */
export const retrievalNames = namesOf(({ isSafe, takesBody }) => isSafe && !takesBody);

/**
 * The methods of requests that must have a media type, even with an empty body.
 *
 * @see RFC 10008, section 2
 */
export const typedNames = namesOf(({ isSafe, takesBody }) => isSafe && takesBody);

/** The methods that endpoints cannot declare. */
export const otherNames: ReadonlySet<string> = new Set(["HEAD", "OPTIONS", "TRACE", "CONNECT"]);

/** Returns the `Allow` field: the sorted methods, HEAD if there is GET, and OPTIONS if CORS is on. */
export const toAllowed = (declared: readonly Method[], hasPreflight: boolean): string =>
  [
    ...declared.map((method) => method.toUpperCase()).toSorted(),
    ...(declared.includes("get") ? ["HEAD"] : []),
    ...(hasPreflight ? ["OPTIONS"] : []),
  ].join(", ");
