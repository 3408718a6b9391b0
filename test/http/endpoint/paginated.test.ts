import fc from "fast-check";
import { defaultEndpointsFactory as factory, ez } from "sallyport";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { send, start, type Answer, type TestServer } from "../harness.ts";

const secret = "a secret of 32 characters or more";
const size = z.object({ size: z.string().transform(Number), q: z.string().optional() });
const list = (length: number): number[] => Array.from({ length }, (_item, index) => index);

const offsetPages = ez.paginated({
  style: "offset",
  itemSchema: z.int(),
  itemsName: "numbers",
  maxLimit: 50,
  links: true,
});
const byOffset = factory.build({
  method: ["get", "post"],
  input: offsetPages.input.and(size),
  output: offsetPages.output,
  handler: ({ input: { limit, offset, size } }) => {
    const numbers = list(size).slice(offset, offset + limit);
    return { numbers, total: size, limit, offset };
  },
});

const plainPages = ez.paginated({ style: "cursor", itemSchema: z.int(), links: true });
const byCursor = factory.build({
  input: plainPages.input.extend(size.shape),
  output: plainPages.output,
  handler: ({ input: { limit, cursor = "after 0", size } }) => {
    const begin = Number(cursor.slice("after ".length));
    const end = begin + limit;
    const nextCursor = end < size ? `after ${end}` : null;
    return { items: list(size).slice(begin, end), nextCursor, limit };
  },
});

const signedPages = ez.paginated({
  style: "cursor",
  itemSchema: z.int(),
  cursor: ez.cursor(z.object({ begin: z.int() }), { secret }),
  links: true,
});
const bySignedCursor = factory
  .addMiddleware({ input: size, handler: async ({ input }) => ({ size: input.size }) })
  .build({
    ...signedPages,
    handler: ({ input: { limit, cursor }, ctx: { size } }) => {
      const begin = cursor?.begin ?? 0;
      const end = begin + limit;
      const nextCursor = end < size ? { begin: end } : null;
      return { items: list(size).slice(begin, end), nextCursor, limit };
    },
  });

const routing = { offset: byOffset, plain: byCursor, signed: bySignedCursor };

interface Page {
  readonly numbers?: number[];
  readonly items?: number[];
  readonly total: number;
  readonly nextCursor?: string | null;
}

const read = (answer: Answer): Page => {
  expect(answer.status).toBe(200);
  return (answer.json() as { data: Page }).data;
};

const itemsOf = ({ numbers, items }: Page): number[] => numbers ?? items ?? [];

/**
 * Returns the targets of a response's links, as relative references keyed by relation. Parses them
 * strictly by RFC 8288.
 */
const linksOf = ({ headers: { link = "" } }: Answer): Record<string, string> => {
  const links: Record<string, string> = {};
  for (const one of link === "" ? [] : (link as string).split(", ")) {
    const [, target = "", relation = ""] =
      /^<(\?[\w.*+%=&-]*)>; rel="(next|prev|first|last)"$/.exec(one) ?? [];
    expect(relation).not.toBe("");
    links[relation] = target;
  }
  return links;
};

const query = (parameters: Record<string, string | number>): string =>
  `?${new URLSearchParams(parameters as Record<string, string>).toString()}`;

const walkLinks = async (
  server: TestServer,
  path: string,
  first: string,
  relation = "next",
): Promise<number[][]> => {
  const pages: number[][] = [];
  for (let target: string | undefined = first; target !== undefined;) {
    const answer: Answer = await server.send(path + target);
    pages.push(itemsOf(read(answer)));
    target = linksOf(answer)[relation];
  }
  return pages;
};

const cases = fc.record({
  size: fc.nat({ max: 30 }),
  limit: fc.integer({ min: 1, max: 12 }),
  q: fc.string({ unit: "binary", maxLength: 8 }),
});

describe("each item is returned exactly once and in order", () => {
  test("by offset", async () => {
    const server = await start(routing);
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, limit }) => {
        const numbers: number[] = [];
        for (let offset = 0, total = 1; offset < total; offset += limit) {
          const page = read(await server.send(`/offset${query({ limit, offset, size })}`));
          numbers.push(...itemsOf(page));
          ({ total } = page);
        }
        expect(numbers).toEqual(list(size));
      }),
      { numRuns: 25 },
    );
  });

  test.each(["/plain", "/signed"])("by the cursor of %s", async (path) => {
    const server = await start(routing);
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, limit }) => {
        const numbers: number[] = [];
        let place: { cursor?: string } | null = {};
        while (place) {
          const page = read(await server.send(path + query({ ...place, limit, size })));
          numbers.push(...itemsOf(page));
          place = typeof page.nextCursor === "string" ? { cursor: page.nextCursor } : null;
        }
        expect(numbers).toEqual(list(size));
      }),
      { numRuns: 25 },
    );
  });

  test.each(["/offset", "/plain", "/signed"])("by the links of %s", async (path) => {
    const server = await start(routing);
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, limit, q }) => {
        const pages = await walkLinks(server, path, query({ q, size, limit }));
        expect(pages.flat()).toEqual(list(size));
        expect(pages).toHaveLength(Math.max(1, Math.ceil(size / limit)));
      }),
      { numRuns: 25 },
    );
  });

  test("by the links to previous pages, from the last page", async () => {
    const server = await start(routing);
    await fc.assert(
      fc.asyncProperty(cases, async ({ size, limit }) => {
        const first = await server.send(`/offset${query({ size, limit })}`);
        const { last = query({ size, limit }) } = linksOf(first);
        const pages = await walkLinks(server, "/offset", last, "prev");
        expect(pages.toReversed().flat()).toEqual(list(size));
      }),
      { numRuns: 15 },
    );
  });
});

describe("the size or the offset of a page", () => {
  test.each([
    ["", 20],
    ["&limit=1", 1],
    ["&limit=50", 50],
  ])("is accepted: %j", async (limit, expected) => {
    const server = await start(routing);
    const answer = await server.send(`/offset?size=60${limit}`);
    expect(itemsOf(read(answer))).toHaveLength(expected);
  });

  const plain = "limit: Invalid input: expected a plain integer";
  test.each([
    ["limit=0", "limit: Too small: expected number to be >=1"],
    ["limit=-1", "limit: Too small: expected number to be >=1"],
    ["limit=51", "limit: Too big: expected number to be <=50"],
    ["limit=99999999999999999999", "limit: Too big: expected number to be <=50"],
    ...["", "1e1", "%205%20", "+5", "%2B5", "0x10", "true", "5.0", "05", "1e309", "5&limit=5"].map(
      (text): [string, string] => [`limit=${text}`, plain],
    ),
    ["limit", plain],
    ["offset=", "offset: Invalid input: expected a plain integer"],
    ["offset=-1", "offset: Too small: expected number to be >=0"],
    ["offset=9007199254740993", "offset: Too big: expected number to be <=9007199254740991"],
  ])("is rejected: %j", async (parameters, message) => {
    const server = await start(routing);
    const answer = await server.send(`/offset?size=60&${parameters}`);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { message } });
    expect(answer.headers.link).toBeUndefined();
  });

  test.each([
    [5, 200],
    ["5", 200],
    [0, 400],
    [51, 400],
    [5.5, 400],
    [true, 400],
    [null, 400],
    [["5"], 400],
  ])("is accepted in a body: %j", async (limit, status) => {
    const server = await start(routing);
    const answer = await server.send("/offset", { method: "POST", body: { size: "9", limit } });
    expect(answer.status).toBe(status);
  });
});

describe("a signed cursor", () => {
  test("is rejected if a character is changed, removed or added", async () => {
    const server = await start(routing);
    const { nextCursor } = read(await server.send("/signed?size=9&limit=4"));
    const valid = nextCursor ?? "";
    const place = fc.nat({ max: valid.length - 1 });
    const letter = fc.constantFrom(..."AZaz09-_=+/ %\0é".split(""));
    const change = fc.constantFrom("replace", "remove", "add");
    await fc.assert(
      fc.asyncProperty(place, letter, change, async (at, letter, change) => {
        const before = valid.slice(0, at);
        const after = valid.slice(change === "add" ? at : at + 1);
        const cursor = change === "remove" ? before + after : before + letter + after;
        fc.pre(cursor !== valid);
        const answer = await server.send(`/signed${query({ size: 9, cursor })}`);
        expect(answer.status).toBe(400);
        expect(answer.json()).toMatchObject({ error: { message: "cursor: Invalid cursor" } });
      }),
      { numRuns: 100 },
    );
  });

  test("from the handler results in a 500 if it does not fit its schema", async () => {
    const broken = factory.build({
      output: signedPages.output,
      handler: () => ({ items: [], limit: 1, nextCursor: { begin: 0.5 } }),
    });
    const server = await start({ broken });
    const answer = await server.send("/broken");
    expect(answer.status).toBe(500);
    expect(answer.headers.link).toBeUndefined();
  });

  test("also works as a single input field", async () => {
    const since = ez.cursor(z.object({ at: ez.dateIn() }), { secret });
    const changes = factory.build({
      input: z.object({ since }),
      output: z.object({ year: z.int(), next: z.string() }),
      handler: ({ input }) => ({
        year: input.since.at.getUTCFullYear(),
        next: z.encode(since, { at: new Date() }),
      }),
    });
    const server = await start({ changes });
    const text = z.encode(since, { at: new Date("2026-11-20") });
    const answer = await server.send(`/changes?since=${text}`);
    expect(answer.json()).toMatchObject({ data: { year: 2026 } });
    expect((await server.send("/changes?since=x")).status).toBe(400);
  });
});

describe("the Link header", () => {
  test("leads to the neighbouring pages, and keeps the rest of the query", async () => {
    const server = await start(routing);
    const target = "/offset?q=a%3E%22%0D%0AX%3A1&size=100&offset=40&limit=20&q2&tag=x&tag=%zz";
    const answer = await server.send(target);
    const rest = "q=a%3E%22%0D%0AX%3A1&size=100&q2=&tag=x&tag=%25zz";
    expect(linksOf(answer)).toEqual({
      next: `?limit=20&offset=60&${rest}`,
      prev: `?limit=20&offset=20&${rest}`,
      first: `?limit=20&offset=0&${rest}`,
      last: `?limit=20&offset=80&${rest}`,
    });
    expect(linksOf(await server.send("/plain?size=9&limit=4&offset=1"))).toEqual({
      next: "?limit=4&cursor=after+4&size=9&offset=1",
    });
  });

  test.each([
    ["size=0", {}],
    ["size=20", {}],
    ["size=21", { next: "?limit=20&offset=20&size=21", last: "?limit=20&offset=20&size=21" }],
    ["size=9&limit=5&offset=3", { next: 8, prev: 0, first: 0, last: 8 }],
    ["size=9&limit=5&offset=4", { prev: 0, first: 0 }],
    ["size=9&limit=5&offset=100", { prev: 4, first: 0 }],
  ])("is correct for %s", async (parameters, expected) => {
    const server = await start(routing);
    const found = linksOf(await server.send(`/offset?${parameters}`));
    const wanted = Object.entries(expected).map(([relation, target]) => [
      relation,
      typeof target === "number" ? `?limit=5&offset=${target}&size=9` : target,
    ]);
    expect(found).toEqual(Object.fromEntries(wanted));
  });

  test("is the same for HEAD, absent for other methods or without the option, and independent of `Host`", async () => {
    const without = ez.paginated({ style: "offset", itemSchema: z.int() });
    const unlinked = factory.build({
      ...without,
      handler: ({ input }) => ({ items: [], total: 100, ...input }),
    });
    const server = await start({ ...routing, unlinked });
    const headers = { host: "evil.example" };
    const { link } = (await server.send("/offset?size=30", { headers })).headers;
    expect(link).toContain('rel="next"');
    expect(link).not.toContain("evil");
    const head = await server.send("/offset?size=30", { method: "HEAD" });
    expect(head.headers.link).toBe(link);
    const posted = await server.send("/offset", { method: "POST", body: { size: "30" } });
    expect(itemsOf(read(posted))).toHaveLength(20);
    expect(posted.headers.link).toBeUndefined();
    expect((await server.send("/unlinked")).headers.link).toBeUndefined();
  });

  test("is added to a Link header that the handler sets", async () => {
    const pages = ez.paginated({ style: "cursor", itemSchema: z.int(), links: true });
    const help = factory.build({
      output: pages.output.extend({ took: z.int() }),
      handler: ({ response }) => {
        response.append("Link", '</help>; rel="help"').append("Link", '</me>; rel="author"');
        return { items: [], limit: 1, nextCursor: "\uD800>", took: 1 };
      },
    });
    const server = await start({ help });
    expect((await server.send("/help")).headers.link).toBe(
      '</help>; rel="help", </me>; rel="author", <?limit=1&cursor=%EF%BF%BD%3E>; rel="next"',
    );
  });

  test("is absent from the error of a middleware that fails after the handler", async () => {
    const failing = factory.addMiddleware({
      around: async (_args, next) => {
        await next({});
        throw new Error("The commit failed");
      },
    });
    const pages = failing.build({
      ...ez.paginated({ style: "offset", itemSchema: z.int(), links: true }),
      handler: ({ input }) => ({ items: [], total: 100, ...input }),
    });
    const answer = await (await start({ pages })).send("/pages");
    expect([answer.status, answer.headers.link]).toEqual([500, undefined]);
  });

  test("contains only the link to the next page if the query is long", async () => {
    const server = await start(routing);
    const answer = await send(server.port, `/offset?size=90&offset=20&q=${"x".repeat(3000)}`);
    expect(Object.keys(linksOf(answer))).toEqual(["next"]);
  });
});
