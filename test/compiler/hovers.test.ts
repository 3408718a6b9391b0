import { afterAll, beforeAll, expect, test } from "vitest";
import { compile, writeProgram } from "./compile.ts";
import { startLanguageServer, type LanguageServer } from "./language-server.ts";

const program = writeProgram(
  "hovers",
  `
import {
  createConfig,
  createServer,
  defaultEndpointsFactory,
  EndpointsFactory,
  EventStreamFactory,
  Middleware,
  ResultHandler,
  type Result,
} from "sallyport";
import { z } from "zod";

const auth = new Middleware({
  input: z.object({ key: z.string().transform((key) => key.length) }),
  handler: async ({ input: /* middleware input */ input }) => ({ user: { id: input.key } }),
});
const factory = defaultEndpointsFactory
  .addMiddleware(auth)
  .addMiddleware({ input: z.object({ page: z.coerce.number() }), handler: async () => undefined })
  .addMiddleware({ around: (_args, next) => next({ tx: { id: 1 } }) })
  .addContext(() => ({ isStaff: true }), { dispose: (/* disposed */ given) => void given })
  .use((_request, _response, next) => next(), { provider: () => ({ ip: "::1" }) });

export const endpoint = factory.build({
  input: z.object({ name: z.string(), tag: z.string().optional() }),
  output: z.object({ role: z.enum(["admin", "member"]), tags: z.array(z.string()) }),
  /* handler */ handler: async ({
    input: /* input */ input,
    ctx: /* ctx */ ctx,
    request: /* request */ request,
    response: /* response */ response,
  }) => {
    void [input, ctx, request, response];
    return { role: "admin", tags: [] };
  },
});

defaultEndpointsFactory.build({
  handler: async ({ input: /* no input */ input, ctx: /* no ctx */ ctx }) => ({ ...input, ...ctx }),
});
defaultEndpointsFactory.buildVoid({
  handler: async ({ input: /* no input in buildVoid */ input }) => input,
});
factory.build({
  input: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), a: z.string() }),
    z.object({ kind: z.literal("b"), b: z.number() }),
  ]),
  handler: async ({ input: /* union */ input }) => input,
});

new EventStreamFactory({ time: z.number() }).build({
  handler: async ({ input, ctx: /* stream */ ctx }) => void [input, ctx],
});

const csv = new ResultHandler({
  positive: (/* schema */ schema) => ({ schema, mimeType: "text/csv" }),
  negative: z.string(),
  handler: ({ output: /* output */ output }: Result<{ rows: string[][] }>) => output,
});
new ResultHandler({
  positive: (schema) => schema,
  negative: z.string(),
  handler: ({ output: /* any output */ output, error: /* error */ error }) => output ?? error,
});
const /* csv factory */ csvFactory = new EndpointsFactory(csv);
void csvFactory;

const /* config */ config = createConfig({ cors: true });
const /* server */ server = createServer(config, {});
void server;
`,
);

let server: LanguageServer;
beforeAll(async () => {
  server = await startLanguageServer(program.folder);
});
afterAll(() => server.close());

/** Returns the type that an editor shows for the code after a comment in the program. */
const show = async (comment: string): Promise<string> => {
  const mark = `/* ${comment} */ `;
  const at = program.text.indexOf(mark);
  if (at < 0) throw new Error(`There is no ${mark}`);
  return server.hover(program.file, program.text, at + mark.length);
};

test("the program has no errors", () => {
  expect(compile(program)).toEqual([]);
});

test.each([
  ["middleware input", "{ key: number; }"],
  ["input", "{ key: number; page: number; name: string; tag?: string | undefined; }"],
  ["no input", "{}"],
  ["no input in buildVoid", "{}"],
  [
    "union",
    '{ key: number; page: number; kind: "a"; a: string; } | { key: number; page: number; kind: "b"; b: number; }',
  ],
])("an input is shown as an object: %s", async (comment, shown) => {
  expect(await show(comment)).toBe(`(parameter) input: ${shown}`);
});

test.each([
  ["ctx", "{ user: { id: number; }; tx: { id: number; }; isStaff: boolean; ip: string; }"],
  ["no ctx", "{}"],
  ["stream", "EventStream<{ time: z.ZodNumber; }>"],
])("a context is shown as an object: %s", async (comment, shown) => {
  expect(await show(comment)).toBe(`(parameter) ctx: ${shown}`);
});

test.each([
  ["disposed", "(parameter) given: { isStaff: boolean; }"],
  ["output", "(parameter) output: { rows: string[][]; } | null"],
  ["any output", "(parameter) output: Readonly<Record<string, unknown>> | null"],
  ["error", "(parameter) error: ResultError | null"],
  ["schema", "(parameter) schema: OutputPlaceholderSchema"],
])(
  "the arguments of dispose functions and result handlers are shown with short types: %s",
  async (comment, shown) => {
    expect(await show(comment)).toBe(shown);
  },
);

test("the hover of a handler shows its input, its context and its return type", async () => {
  const input = "{ key: number; page: number; name: string; tag?: string | undefined; }";
  const ctx = "{ user: { id: number; }; tx: { id: number; }; isStaff: boolean; ip: string; }";
  const output = '{ role: "admin" | "member"; tags: string[]; }';
  expect(await show("handler")).toContain(
    `.handler: (this: void, args: HandlerArguments<${input}, ${ctx}, {}, {}>) => MaybePromise<SentResponse | ${output}>`,
  );
});

test.each([
  ["request", "(parameter) request: Request"],
  ["response", "(parameter) response: Response"],
  ["config", "const config: ServerConfig"],
  ["server", "const server: Promise<RunningServer>"],
])("a named type is shown by its name: %s", async (comment, shown) => {
  expect(await show(comment)).toBe(shown);
});
