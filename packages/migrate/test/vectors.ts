/** Documents with a text at each place where one may be; `text` is the text. */
type Json = Readonly<Record<string, unknown>>;
type Vector = (text: string) => Json;

const ok = { 200: { description: "ok" } };
const get = (operation: Json, more: Json = {}): Json => ({
  paths: { "/a": { get: { operationId: "getA", responses: ok, ...operation } } },
  ...more,
});
const post = (operation: Json): Json => ({
  paths: { "/a": { post: { operationId: "postA", responses: ok, ...operation } } },
});
const content = (schema: Json, type = "application/json"): Json => ({
  content: { [type]: { schema } },
});
const reply = (schema: Json): Json =>
  get({ responses: { 200: { description: "ok", ...content(schema) } } });
const field = (schema: Json): Json => reply({ type: "object", properties: { a: schema } });
const parameter = (more: Json): Json =>
  get({ parameters: [{ in: "query", name: "a", schema: { type: "string" }, ...more }] });
const scheme = (name: string, one: Json, scopes: readonly string[] = []): Json =>
  get({ security: [{ [name]: scopes }] }, { components: { securitySchemes: { [name]: one } } });
const named = (text: string): Json =>
  Object.defineProperty({}, text, { value: { type: "string" }, enumerable: true });
const variants = [
  { type: "object", properties: { a: {} } },
  { type: "object", properties: { b: {} } },
];

export const vectors: Readonly<Record<string, Vector>> = {
  summary: (text) => get({ summary: text }),
  description: (text) => get({ description: text }),
  operationId: (text) => get({ operationId: text }),
  tag: (text) => get({ tags: [text, "b"] }),
  path: (text) => ({ paths: { [`/a${text}`]: { get: { responses: ok } } } }),
  pathSlash: (text) => ({ paths: { [`/a${text}/`]: { get: { responses: ok } } } }),
  pathParameter: (text) => ({
    paths: {
      [`/a/{${text.replaceAll("}", "")}}`]: {
        get: {
          responses: ok,
          parameters: [{ in: "path", name: text.replaceAll("}", ""), required: true, schema: {} }],
        },
      },
    },
  }),
  externalDocs: (text) => get({ externalDocs: { url: text, description: text } }),
  extension: (text) => get({ [`x-${text}`]: text }),
  callback: (text) => get({ callbacks: { [text]: { [text]: { post: { responses: ok } } } } }),
  operationServer: (text) => get({ servers: [{ url: text, description: text }] }),
  defaultResponse: (text) => get({ responses: { ...ok, default: { description: text } } }),
  responseStatus: (text) => get({ responses: { ...ok, [text]: { description: "d" } } }),
  responseDescription: (text) => get({ responses: { 200: { description: text } } }),
  notModified: (text) => get({ responses: { ...ok, 304: { description: text } } }),
  errorDescription: (text) => get({ responses: { ...ok, 404: { description: text } } }),
  responseType: (text) => get({ responses: { 200: { description: "ok", ...content({}, text) } } }),
  responseHeader: (text) =>
    get({
      responses: {
        200: { description: "ok", headers: { [text]: { description: text, schema: {} } } },
      },
    }),
  errorHeader: (text) =>
    get({ responses: { ...ok, 404: { description: "no", headers: { [text]: { schema: {} } } } } }),
  errorType: (text) =>
    get({ responses: { ...ok, 404: { description: "no", ...content({}, text) } } }),
  errorExample: (text) =>
    get({
      responses: {
        ...ok,
        400: {
          description: "no",
          ...content({
            type: "object",
            required: [text],
            properties: { [text]: { type: "string", enum: [text] } },
          }),
        },
      },
    }),
  link: (text) =>
    get({ responses: { 200: { description: "ok", links: { [text]: { operationId: text } } } } }),
  mediaExample: (text) =>
    get({
      responses: {
        200: {
          description: "ok",
          content: {
            "application/json": {
              schema: { type: "object", properties: { a: {} } },
              examples: { [text]: { value: text } },
            },
          },
        },
      },
    }),
  parameterName: (text) => parameter({ name: text }),
  parameterPlace: (text) => parameter({ in: text }),
  parameterDescription: (text) => parameter({ description: text }),
  parameterStyle: (text) => parameter({ style: text, schema: { type: "array", items: {} } }),
  parameterContent: (text) =>
    parameter({ name: text, schema: undefined, content: { [text]: { schema: {} } } }),
  parameterList: (text) =>
    parameter({ name: text, explode: false, schema: { type: "array", items: { enum: [text] } } }),
  parameterExample: (text) => parameter({ examples: { [text]: { value: text } } }),
  header: (text) => parameter({ in: "header", name: text }),
  cookie: (text) => parameter({ in: "cookie", name: text }),
  bodyType: (text) => post({ requestBody: { content: { "application/json": {}, [text]: {} } } }),
  rawBody: (text) => post({ requestBody: { content: { [text]: { schema: { type: "string" } } } } }),
  bodyDescription: (text) =>
    post({ requestBody: { description: text, ...content({ type: "object" }) } }),
  formField: (text) =>
    post({
      requestBody: content({ type: "object", properties: named(text) }, "multipart/form-data"),
    }),
  clash: (text) =>
    post({
      parameters: [{ in: "query", name: text, schema: { type: "string" } }],
      requestBody: content({ type: "object", properties: named(text) }),
    }),
  listBody: (text) =>
    post({ requestBody: content({ type: "array", items: { enum: [text, "b"] } }) }),
  property: (text) => reply({ type: "object", required: [text], properties: named(text) }),
  required: (text) => reply({ type: "object", required: [text] }),
  needed: (text) => reply({ type: "object", properties: { a: {} }, anyOf: [{ required: [text] }] }),
  type: (text) => field({ type: text }),
  types: (text) => field({ type: [text, "string"] }),
  enum: (text) => field({ type: "string", enum: [text, "b"] }),
  const: (text) => field({ const: { [text]: text } }),
  default: (text) =>
    post({
      requestBody: content({
        type: "object",
        properties: { a: { type: "string", default: text }, b: { type: "boolean", default: text } },
      }),
    }),
  pattern: (text) => field({ type: "string", pattern: text }),
  format: (text) => field({ type: "string", format: text }),
  title: (text) => field({ type: "string", title: text, description: text, "x-a": text }),
  example: (text) => field({ type: "string", example: text }),
  keyword: (text) =>
    field({ type: "object", not: { required: [text] }, patternProperties: { [text]: {} } }),
  bound: (text) =>
    field({ type: "integer", minimum: text, multipleOf: text, exclusiveMaximum: text }),
  lengths: (text) => field({ type: "string", minLength: text, maxLength: text }),
  discriminator: (text) =>
    field({ oneOf: variants, discriminator: { propertyName: text, mapping: {} } }),
  component: (text) => ({
    ...get({}),
    components: {
      schemas: Object.defineProperty({}, text, {
        value: { type: "object", description: text, properties: named(text) },
        enumerable: true,
      }),
    },
  }),
  securityScheme: (text) => scheme(text, { type: "http", scheme: "bearer" }),
  unknownScheme: (text) => scheme(text, { type: text }),
  bearerFormat: (text) => scheme("o", { type: "http", scheme: "bearer", bearerFormat: text }),
  httpScheme: (text) => scheme("o", { type: "http", scheme: text }),
  apiKey: (text) => scheme("o", { type: "apiKey", in: "header", name: text }),
  apiKeyPlace: (text) => scheme("o", { type: "apiKey", in: text, name: text }),
  scope: (text) =>
    scheme(
      "o",
      {
        type: "oauth2",
        flows: { clientCredentials: { tokenUrl: text, scopes: { [text]: text } } },
      },
      [text],
    ),
  openId: (text) => scheme("o", { type: "openIdConnect", openIdConnectUrl: text }),
  info: (text) => ({
    ...get({}),
    info: { title: text, version: text, description: text, contact: { name: text } },
  }),
  server: (text) => ({
    ...get({}),
    servers: [{ url: text, description: text, variables: { [text]: { default: text } } }],
    tags: [{ name: text, description: text }],
  }),
  rootExtension: (text) => ({ ...get({}), [`x-${text}`]: text }),
  webhook: (text) => ({
    ...get({}),
    webhooks: { [text]: { post: { summary: text, responses: ok } } },
  }),
  contact: (text) => ({
    ...get({}),
    info: { title: "t", version: "1", termsOfService: text, contact: { url: text, email: text } },
  }),
  license: (text) => ({
    ...get({}),
    info: { title: "t", version: "1", license: { name: text, identifier: text, url: text } },
  }),
  infoExtension: (text) => ({
    ...get({}),
    info: { title: "t", version: "1", summary: text, [`x-${text}`]: text },
  }),
  version: (text) => ({ ...get({}), openapi: `3.1.${text}`, jsonSchemaDialect: text }),
  tagDocs: (text) => ({
    ...get({ tags: [text] }),
    tags: [{ name: text, externalDocs: { url: text, description: text } }],
    externalDocs: { url: text },
  }),
  serverVariable: (text) => ({
    ...get({}),
    servers: [{ url: "/{a}", [text]: text, variables: { a: { default: text, enum: [text] } } }],
  }),
  pathItem: (text) => ({
    paths: {
      "/a": { summary: text, description: text, servers: [{ url: text }], get: { responses: ok } },
    },
  }),
  method: (text) => ({
    paths: {
      "/a": {
        get: { responses: ok },
        [text]: { responses: ok },
        additionalOperations: { [text]: { responses: ok } },
      },
    },
  }),
  head: (text) => ({
    paths: {
      [`/a${text}`]: { head: { operationId: text, responses: ok }, get: { responses: ok } },
    },
  }),
  twin: (text) => ({
    paths: { "/a/{b}": { get: { responses: ok } }, [`/a/{${text}}`]: { get: { responses: ok } } },
  }),
  callbackExpression: (text) =>
    get({
      callbacks: {
        a: { [`{$request.body#/${text}}`]: { post: { summary: text, responses: ok } } },
      },
    }),
  linkParameters: (text) =>
    get({
      responses: {
        200: {
          description: "ok",
          links: { a: { operationRef: text, parameters: { [text]: text }, requestBody: text } },
        },
      },
    }),
  mapping: (text) => ({
    ...field({
      oneOf: [{ $ref: "#/components/schemas/A" }, ...variants],
      discriminator: { propertyName: "a", mapping: { [text]: "#/components/schemas/A" } },
    }),
    components: { schemas: { A: { type: "object", properties: { a: { const: text } } } } },
  }),
  parameterComponent: (text) => ({
    ...get({
      parameters: [{ $ref: `#/components/parameters/${text.replaceAll(/[~/%]/g, "")}` }],
    }),
    components: {
      parameters: Object.defineProperty({}, text.replaceAll(/[~/%]/g, ""), {
        value: { in: "query", name: "a", description: text, schema: {} },
        enumerable: true,
      }),
    },
  }),
  schemaReference: (text) => ({
    ...reply({ $ref: `#/components/schemas/${text.replaceAll(/[~/%]/g, "")}` }),
    components: {
      schemas: Object.defineProperty({}, text.replaceAll(/[~/%]/g, ""), {
        value: { type: "string", description: text },
        enumerable: true,
      }),
    },
  }),
  parameterTypes: (text) =>
    parameter({ name: "a", required: text, explode: text, allowReserved: text, deprecated: text }),
  parameterExternal: (text) =>
    parameter({
      name: "a",
      example: text,
      examples: { a: { externalValue: text, summary: text } },
    }),
  cookieList: (text) =>
    parameter({ in: "cookie", name: "a", style: text, schema: { type: "array", items: {} } }),
  headerDefault: (text) =>
    parameter({ in: "header", name: "x-a", schema: { type: "boolean", default: text } }),
  encoding: (text) =>
    post({
      requestBody: {
        content: {
          "multipart/form-data": {
            schema: { type: "object", properties: named(text) },
            encoding: { [text]: { contentType: text, headers: { [text]: { schema: {} } } } },
          },
        },
      },
    }),
  bodyExample: (text) =>
    post({
      requestBody: {
        content: { "application/json": { schema: { type: "object" }, example: { [text]: text } } },
      },
    }),
  itemSchema: (text) =>
    get({
      responses: {
        200: {
          description: "ok",
          content: { [`text/event-stream; ${text}`]: { itemSchema: { title: text } } },
        },
      },
    }),
  content: (text) => field({ type: "string", contentMediaType: text, contentEncoding: text }),
  identifiers: (text) => field({ $id: text, $anchor: text, $comment: text, $schema: text }),
  xml: (text) =>
    field({ type: "string", xml: { name: text, prefix: text }, externalDocs: { url: text } }),
  lifecycle: (text) =>
    field({ type: "string", "x-sunset": text, "x-stability-level": text, readOnly: text }),
  names: (text) => field({ type: "object", propertyNames: { pattern: text, enum: [text] } }),
  conditions: (text) =>
    field({
      type: "object",
      if: { properties: named(text) },
      else: { required: [text] },
      dependentRequired: { [text]: [text] },
    }),
  tuple: (text) => field({ type: "array", prefixItems: [{ const: text }, { enum: [text, 1] }] }),
  map: (text) =>
    field({ type: "object", additionalProperties: { enum: [text, "b"], description: text } }),
  wrongTypes: (text) =>
    field({
      type: "array",
      uniqueItems: text,
      minItems: text,
      maxItems: text,
      nullable: text,
      items: { minProperties: text, additionalProperties: text, required: text },
    }),
  objectDefault: (text) =>
    post({
      requestBody: content({
        type: "object",
        properties: { a: { type: "object", default: { [text]: text } }, b: { default: [text] } },
      }),
    }),
  unionParts: (text) =>
    reply({
      allOf: [
        { type: "object", properties: named(text), description: text },
        { type: "object", required: [text], properties: { [`${text}2`]: { const: text } } },
      ],
    }),
  alternatives: (text) =>
    post({
      parameters: [{ in: "query", name: text, schema: { type: "integer" } }],
      requestBody: content({ oneOf: [{ required: [text] }, { title: text }], type: "object" }),
    }),
  twoSchemes: (text) =>
    get(
      { security: [{ [text]: [], b: [text] }, {}] },
      {
        components: {
          securitySchemes: {
            [text]: { type: "apiKey", in: "cookie", name: text, description: text },
            b: {
              type: "oauth2",
              flows: { authorizationCode: { authorizationUrl: text, tokenUrl: text, scopes: {} } },
            },
          },
        },
      },
    ),
  severalTypes: (text) =>
    get({
      responses: {
        200: { description: "ok", content: { "application/json": { schema: {} }, [text]: {} } },
        201: { description: text, content: { "image/png": {} } },
        "4XX": { description: text, ...content({ title: text }) },
      },
    }),
  webhookBody: (text) => ({
    ...get({}),
    webhooks: {
      [text]: {
        post: {
          operationId: text,
          tags: [text],
          description: text,
          ...{ requestBody: content({ type: "object", properties: named(text) }) },
          responses: ok,
        },
      },
    },
  }),
};

const run = "globalThis.PWNED = true";

/** Texts that are code in one way or another. */
export const payloads: Readonly<Record<string, string>> = {
  newline: `x\n${run}; //`,
  property: `x\n[(${run}, "k")]: z.any(), //`,
  return: `x\r${run}; //`,
  line: `x\u2028${run}; //`,
  paragraph: `x\u2029${run}; //`,
  comment: `x */ ${run}; /*`,
  backtick: `x\`; ${run}; \``,
  template: `\${${run}}`,
  double: `x"; ${run}; "`,
  single: `x'; ${run}; '`,
  backslash: `x\\"; ${run}; //`,
  script: `</script><script>${run}</script>`,
  slash: `x/; ${run}; /`,
  feed: `x\r\n${run}; //`,
  nextLine: `x\u0085${run}; //`,
  space: `x\v\f${run}; //`,
  mark: `\ufeff\n${run}; //`,
  nul: `x\0\n${run}; //`,
  surrogate: `x\ud800\n${run}; //`,
  end: `x\\`,
  quoted: `\\" + (${run}) + "\\`,
  html: `<!-- x\n--> ${run}`,
  regular: `[/]; ${run}; [/`,
  closing: `)}; ${run}; ({(`,
  parent: `../../${run}`,
  prototype: "__proto__",
  constructor: "constructor",
  import: "createConfig",
  empty: "",
};
