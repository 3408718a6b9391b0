import { jsonKinds, listKinds, textKinds } from "../../openapi/torture/places.ts";

/** Where a generated module has the types of a place, and what they must be compared with. */
interface Place {
  readonly name: string;
  readonly kinds: object;
  /** The type that this package generates for the place; undefined where it has none. */
  readonly own?: string;
  /** Whether the values are received, so that the type must accept all of them. */
  readonly isReceived?: boolean;
  /** The type by generator; undefined if a generator writes none. */
  readonly types: Readonly<Record<"hey-api" | "openapi-typescript" | "orval", string | undefined>>;
}

const { "odd-name": _name, ...inPath } = textKinds;
const inQuery = { ...textKinds, ...listKinds };
const prefixed = Object.fromEntries(Object.keys(textKinds).map((name) => [`x-${name}`, true]));
const multipart = "multipart/form-data";
const urlencoded = "application/x-www-form-urlencoded";

const toPath = (path: string, method: string, ...more: readonly (number | string)[]): string =>
  `NonNullable<Paths["${path}"]["${method}"]${more.map((key) => `[${JSON.stringify(key)}]`).join("")}>`;

const toBody = (path: string, type = "application/json"): string =>
  `NonNullable<${toPath(path, "post", "requestBody")}["content"]>["${type}"]`;

const toReply = (status: number): string =>
  toPath("/json", "post", "responses", status, "content", "application/json");

const places: readonly Place[] = [
  {
    ...{ name: "response", kinds: jsonKinds, own: `Own.PostJsonBody["data"]["value"]` },
    isReceived: true,
    types: {
      "openapi-typescript": `${toReply(200)}["data"]["value"]`,
      "hey-api": `Theirs.PostJsonResponses[200]["data"]["value"]`,
      orval: `Theirs.postJsonResponse200["data"]["data"]["value"]`,
    },
  },
  {
    ...{ name: "error", kinds: jsonKinds, own: `Own.PostJsonBody["data"]["value"]` },
    isReceived: true,
    types: {
      "openapi-typescript": `NonNullable<${toReply(409)}["error"]["data"]>`,
      "hey-api": `NonNullable<Theirs.PostJsonErrors[409]["error"]["data"]>`,
      orval: `NonNullable<Theirs.postJsonResponse409["data"]["error"]["data"]>`,
    },
  },
  {
    ...{ name: "body", kinds: jsonKinds, own: "Own.PostJsonInput" },
    types: {
      "openapi-typescript": toBody("/json"),
      "hey-api": `Theirs.PostJsonData["body"]`,
      orval: "Theirs.PostJsonBody",
    },
  },
  {
    ...{ name: "path", kinds: inPath, own: "Own.GetPathInput" },
    types: {
      "openapi-typescript": toPath(
        `/path/${Object.keys(inPath)
          .map((name) => `{${name}}`)
          .join("/")}`,
        ...["get", "parameters", "path"],
      ),
      "hey-api": `Theirs.GetPathData["path"]`,
      // parameters of a function
      orval: undefined,
    },
  },
  {
    ...{ name: "query", kinds: inQuery, own: "Own.GetQueryInput" },
    types: {
      "openapi-typescript": toPath("/query", "get", "parameters", "query"),
      "hey-api": `Theirs.GetQueryData["query"]`,
      orval: "Theirs.GetQueryParams",
    },
  },
  {
    ...{ name: "optional query", kinds: inQuery, own: "Own.GetOptionalQueryInput" },
    types: {
      "openapi-typescript": toPath("/optional-query", "get", "parameters", "query"),
      "hey-api": `NonNullable<Theirs.GetOptionalQueryData["query"]>`,
      orval: "Theirs.GetOptionalQueryParams",
    },
  },
  {
    ...{ name: "headers", kinds: prefixed },
    types: {
      "openapi-typescript": toPath("/headers", "get", "parameters", "header"),
      "hey-api": `Theirs.GetHeadersData["headers"]`,
      // callers pass header fields as they like
      orval: undefined,
    },
  },
  {
    ...{ name: "cookies", kinds: textKinds },
    // browsers send cookies by themselves
    types: {
      "openapi-typescript": toPath("/cookies", "get", "parameters", "cookie"),
      "hey-api": undefined,
      orval: undefined,
    },
  },
  {
    ...{ name: "form", kinds: inQuery, own: "Own.PostFormInput" },
    types: {
      "openapi-typescript": toBody("/form", urlencoded),
      "hey-api": `Theirs.PostFormData["body"]`,
      orval: "Theirs.PostFormBody",
    },
  },
  {
    ...{ name: "files", kinds: { ...inQuery, file: true, more: true } },
    types: {
      "openapi-typescript": toBody("/files", multipart),
      "hey-api": `Theirs.PostFilesData["body"]`,
      orval: "Theirs.PostFilesBody",
    },
  },
];

type Generator = keyof Place["types"];

/** The types that a module may have, as TypeScript: `any`, `unknown` and `never` fit nothing but what is unknown. */
const head = `
type Unknown<Own, Found> = unknown extends Own ? "fits" : Found;
type Judge<Type, Own, IsReceived> =
  0 extends 1 & Type ? Unknown<Own, "any">
  : unknown extends Type ? Unknown<Own, "unknown">
  : [Type] extends [never] ? "never"
  : [Own] extends [Type] ? "fits"
  : IsReceived extends true ? "lacks values"
  : [Type] extends [Own] ? "fits" : "differs";
type Known = bigint | boolean | null | number | object | string | undefined;
`;

/** Writes a program with an error in each line whose kind has a type at its place that its values do not fit. */
export const writeChecks = (generator: Generator, module: string): string => {
  const lines = places.flatMap(({ name, kinds, own, isReceived = false, types }) =>
    Object.keys(kinds).flatMap((kind) => {
      const type = types[generator];
      if (type === undefined) return [];
      const key = `[${JSON.stringify(kind)}]`;
      const ours = own === undefined ? "Known" : own + key;
      return `({}) as Judge<(${type})${key}, ${ours}, ${isReceived}> satisfies "fits"; // ${name} ${kind}`;
    }),
  );
  const paths = generator === "openapi-typescript" ? ["type Paths = Theirs.paths;"] : [];
  return [
    `import type * as Theirs from ${JSON.stringify(module)};`,
    'import type * as Own from "./own.ts";',
    ...[head, ...paths, ...lines, "export {};"],
  ].join("\n");
};

/** The types that a generator gets wrong although the document is right. */
export const defects: readonly {
  /** The generator and the version of OpenAPI, such as `orval-7 3.1`. */
  readonly by: RegExp;
  /** The place and the kind. */
  readonly at: RegExp;
  readonly reason: string;
}[] = [
  {
    by: /./,
    at: / json$/,
    reason: "z.json() is described as any value, for the sake of openapi-typescript",
  },
  {
    by: /./,
    at: /^(?:response|error) stringbool$/,
    reason: "the document lists the strings that this package's client has as a string",
  },
  {
    by: /./,
    at: / optionalTuple$/,
    reason: "generators require each element of a tuple, whatever `minItems` says",
  },
  {
    by: /^(?:openapi-typescript|hey-api.*) 3\.[12]$/,
    at: /^(?:response|error) tupleRest$/,
    reason: "they ignore `items` beside `prefixItems`",
  },
  {
    by: /^(?:openapi-typescript|orval-7) /,
    at: /^(?:response|error) catchall$/,
    reason: "they intersect the fields with an index signature that the fields do not fit",
  },
  {
    by: /^openapi-typescript /,
    at: /^(?:response|error) (?:default|prefault|catch|discriminatedNumbers|user|nullableDefault)$/,
    reason: "it takes a field with a default for one that is always present",
  },
  { by: /^orval-7 /, at: / oddValues$/, reason: "it does not escape the backslash of a value" },
];

/** The errors that the compiler finds in modules, not in what is made of them. */
export const brokenModules: readonly RegExp[] = [
  // orval 7 declares fields that do not fit the index signature beside them
  /\/orval-7-(?:places|torture)-3\.\d\.ts.* error TS2411: /,
];
