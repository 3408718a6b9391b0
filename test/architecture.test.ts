import { relative } from "node:path";
import { describe, expect, test } from "vitest";
import {
  findCycle,
  listFiles,
  listImports as listImportsOf,
  read,
  toSlashes,
} from "./source-files.ts";

/** The rooms within `src/front/server`, the lowest first; the files next to these rooms combine them, and no room imports those files. */
const serverRooms = ["connection", "config", "express", ""];

const sources = listFiles("src").filter((file) => !/\.test(-d)?\.ts$/.test(file));
const tests = [...listFiles("src"), ...listFiles("test")].filter((file) =>
  /\.test(-d)?\.ts$/.test(file),
);

/** The rooms of `src`, in the order of their table: a room imports only from those before it, types included. */
const rooms = [...read("ARCHITECTURE.md").matchAll(/^\| `([\w-]+)(?:\/|\.ts)` +\|/gm)].map(
  ([, room = ""]) => room,
);

const withinSource = (file: string): string => toSlashes(relative("src", file));

/** The wings of `src`, in the order of their table: folders of rooms that belong together. */
const wings = [...read("ARCHITECTURE.md").matchAll(/^\| \*\*(\w+)\*\* +\|/gm)].map(
  ([, wing = ""]) => wing,
);

const toRoom = (file: string): string => {
  const [first = "", second = ""] = withinSource(file).split("/");
  return (wings.includes(first) ? second : first).replace(/\.ts$/, "");
};

/** Returns the room of a file in `src/front/server`, or an empty string for a file next to the rooms. */
const toServerRoom = (file: string): string => {
  const [room = "", ...rest] = toSlashes(relative("src/front/server", file)).split("/");
  return rest.length > 0 ? room : "";
};

/** Reads a source file without its comments. */
const readCode = (file: string): string =>
  read(file).replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");

/** Lists what a pattern finds in source files, as in `src/errors.ts: text`. */
const search = (files: readonly string[], ...patterns: readonly RegExp[]): string[] =>
  files.flatMap((file) => {
    const code = readCode(file);
    return patterns.flatMap((pattern) =>
      [...code.matchAll(pattern)].map(([text]) => `${file}: ${text.replace(/\s+/g, " ")}`),
    );
  });

/** The marks that two copies of this package must recognise; no other property is named by a symbol. */
const marks = [
  "endpointMark",
  "middlewareMark",
  "paginationMark",
  "requestState",
  "resultHandlerMark",
  "serveStaticMark",
];

/** Undocumented members of Node.js, Zod and Express that are set outside `shortcuts/`: where this is done, and why. */
const undocumentedWrites: readonly { readonly at: readonly string[]; readonly why: string }[] = [
  {
    at: ["src/basics/http/node-internals.ts: socket.destroySoon ="],
    why: "Node calls this method after the last response, and resets the connection before any event",
  },
  {
    at: [
      "src/front/server/express-stack.ts: router.handle =",
      "src/front/server/express/path-guards.ts: app.handle =",
    ],
    why: "nothing else runs before the layers that an application already has, or after those added later",
  },
  {
    at: [
      "src/front/server/express/express-app.ts: app.request =",
      "src/front/server/express/express-app.ts: app.response =",
    ],
    why: "otherwise, Express would change the prototype of each request and response",
  },
  {
    at: ["src/front/server/express-stack.ts: router.stack.push("],
    why: "a router of this package runs some of an application's layers, with their paths",
  },
  {
    at: [
      'src/front/server/attached-api.ts: defineProperty(state.request, "next"',
      'src/front/server/express/express-classes.ts: defineProperty(ExpressRequest.prototype, "next"',
    ],
    why: "Express calls it when it cannot send what a handler asked for, and sets it before the API runs",
  },
  {
    at: [
      "src/basics/schemas/zod-internals.ts: defineProperty(schema._zod, name",
      "src/basics/schemas/zod-internals.ts: schema._zod.parse =",
    ],
    why: "a class of schemas defines its own members in this way, as Zod's classes do",
  },
];

/** Lists the files of `src` that a file imports, whether values or types. */
const listImports = (file: string): string[] => listImportsOf(file, read(file));

describe("architecture", () => {
  test("each source file is in a room of the layer table", () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(sources.filter((file) => !rooms.includes(toRoom(file)))).toEqual([]);
  });

  test("imports point to lower rooms, types included", () => {
    const upward = sources.flatMap((file) =>
      listImports(file)
        .filter((target) => rooms.indexOf(toRoom(target)) > rooms.indexOf(toRoom(file)))
        .map((target) => `${file} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test("each room is in its wing, and a wing imports only from those before it", () => {
    expect(wings.length).toBeGreaterThan(5);
    const toWing = (file: string): string => withinSource(file).split("/")[0] ?? "";
    const inOrder = rooms.flatMap((room) => sources.find((file) => toRoom(file) === room) ?? []);
    const order = inOrder.map(toWing).filter((wing, at, all) => wing !== all[at - 1]);
    expect(order).toEqual([...wings, "types.ts", "index.ts"]);
  });

  test("within the server, too, imports point to lower rooms", () => {
    const own = sources.filter((file) => toRoom(file) === "server");
    expect(own.filter((file) => !serverRooms.includes(toServerRoom(file)))).toEqual([]);
    for (const room of serverRooms)
      expect(own.filter((file) => toServerRoom(file) === room).length).toBeGreaterThan(1);
    const upward = own.flatMap((file) =>
      listImports(file)
        .filter(
          (target) =>
            toRoom(target) === "server" &&
            serverRooms.indexOf(toServerRoom(target)) > serverRooms.indexOf(toServerRoom(file)),
        )
        .map((target) => `${file} -> ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test("each import names an existing file, with its extension", () => {
    const missing = sources.flatMap((file) =>
      listImports(file).filter((target) => !sources.includes(target)),
    );
    expect(missing).toEqual([]);
  });

  test("the client imports nothing from other rooms at run time", () => {
    const values = sources
      .filter((file) => file.startsWith("src/describe/client/"))
      .flatMap((file) =>
        [...read(file).matchAll(/^(import|export) (?!type\b)[^;]*from "([^"]+)"/gm)]
          .map(([, , target = ""]) => `${file} -> ${target}`)
          .filter((edge) => !/-> \.\/[\w-]+\.ts$/.test(edge)),
      );
    expect(values).toEqual([]);
  });

  test("no imports are circular", () => {
    expect(findCycle(sources, listImports)).toBeUndefined();
  });

  test("no source file is longer than 350 lines, no test file longer than 500", () => {
    const count = (file: string): number => read(file).split("\n").length;
    expect(sources.filter((file) => count(file) > 350)).toEqual([]);
    expect(tests.filter((file) => count(file) > 500)).toEqual([]);
  });

  test("file names are kebab-case and meaningful", () => {
    const names = sources.flatMap((file) =>
      withinSource(file)
        .replace(/\.\w+$/, "")
        .split("/"),
    );
    expect(names.filter((name) => !/^[a-z]+(-[a-z]+)*$/.test(name))).toEqual([]);
    expect(names.filter((name) => /^(helpers?|utils?|common|base|misc)$/.test(name))).toEqual([]);
  });

  test("each file of `src` has a name of its own, apart from the entry points", () => {
    const names = listFiles("src")
      .map((file) => file.slice(file.lastIndexOf("/") + 1))
      .filter((name) => name !== "index.ts");
    const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    expect([...repeated]).toEqual([]);
  });

  test("only the entry points re-export other files", () => {
    const barrels = sources.filter((file) => /^export (type )?(\*|\{)[^;]*from/m.test(read(file)));
    const { exports } = JSON.parse(read("package.json")) as {
      readonly exports: Readonly<Record<string, { readonly types?: string }>>;
    };
    const entries = Object.values(exports).flatMap(({ types }) => types ?? []);
    const toSource = (built: string): string =>
      built.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts");
    expect(barrels.toSorted()).toEqual(entries.map(toSource).toSorted());
  });

  test("internals of Node.js and Zod are named only in their designated files", () => {
    // members with an underscore, except for those intended for authors of streams and schemas
    const underscored =
      /(?:\._|\b_)(?!zod\b|destroy\b|read\b|write\b|final\b|transform\b|flush\b|request\b|response\b)[a-z]\w+(?=\??[:(]| [=:])/g;
    const quoted = /"_(?!zod"|_proto__"|OTHER")\w+"/g;
    const ofZod =
      /_zod\??\.(?!def\b|run\b|input\b|output\b)\w+|\bcore\.util\.(?!Primitive)\w+|\.(?:optin|optout|propValues|bag|traits|parent)\b|Internals\)\.\w+|"memo"|context\.direction/g;
    const others =
      /\bshouldKeepAlive\b|\bdestroySoon = |\.finished = |"HPE_PAUSED"|once\("socket"|listenerCount\("(?:unpipe|drain)"|getOwnPropertySymbols|kOutHeaders/g;
    const fences = new Set([
      "src/basics/http/node-internals.ts",
      "src/wire/exchange/exchange.ts",
      "src/wire/exchange/node-response.ts",
      "src/basics/schemas/zod-internals.ts",
      "src/wire/shortcuts/shortcuts.ts",
    ]);
    const outside = sources.filter(
      (file) => !fences.has(file) && !file.startsWith("src/front/testing/"),
    );
    expect(search(outside, underscored, quoted, ofZod, others)).toEqual([]);
  });

  test("no undocumented member of Node.js, Zod or Express is set outside `shortcuts/`, apart from those listed", () => {
    const members =
      /\b(?!this\b|state\b)[\w.]+\.(?:_\w+(?:\.\w+)*|destroySoon|error|finished|handle|isConditionalGET|isPreconditionFailure|next|parent|settings|shouldKeepAlive|stack) \??\??=(?!=)/g;
    const methods =
      /\b[\w.]*prototype\.(?!listen\b)\w+ =(?!=)|[\w.]+\.stack\.(?:push|splice|unshift)\(/g;
    const ofApp = /\bapp\.(?:request|response|router|mountpath) =(?!=)/g;
    const defined =
      /(?:defineProperty|defineProperties|assign|set|deleteProperty)\(\s*[\w.]+(?:\._\w+(?:, \w+)?|, "(?:_\w+|next|stack|handle|finished)")/g;
    const outside = sources.filter((file) => !file.startsWith("src/wire/shortcuts/"));
    expect(search(outside, members, methods, ofApp, defined).toSorted()).toEqual(
      undocumentedWrites.flatMap(({ at }) => at).toSorted(),
    );
    expect(undocumentedWrites.length).toBeLessThanOrEqual(6);
    const lines = sources
      .filter((file) => file.startsWith("src/wire/shortcuts/"))
      .map((file) => read(file).split("\n").length);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(450);
  });

  test("only `exchange/replace-methods.ts` replaces methods of a response", () => {
    const senders = "(?:end|json|render|send|sendFile|write|writeHead|writableEnded)";
    const assigned = new RegExp(
      `\\b(?:response|reply|methods)(?:\\.|\\[")${senders}(?:"\\])? =(?!=)`,
      "g",
    );
    const defined = new RegExp(
      `(?:defineProperty|set)\\(\\s*(?:response|reply|this), "${senders}"`,
      "g",
    );
    const all = /\bassign\(\s*(?:response|reply)\b/g;
    // the mocks of tests only add members
    const others = sources.filter((file) => !file.startsWith("src/front/testing/"));
    const outside = others.filter((file) => file !== "src/wire/exchange/replace-methods.ts");
    expect(search(outside, assigned, defined, all)).toEqual([]);
    expect(search(["src/wire/exchange/replace-methods.ts"], defined)).toHaveLength(1);
  });

  test("only code beside Node asks it what has become of a response; stages ask their exchange", () => {
    const asked =
      /\b(?:response|reply|res)\??\.(?:headersSent|writable\w+|closed|destroyed|finished)\b|\b(?:headersSent|writable(?:Ended|Finished|Length|NeedDrain))\b/g;
    const places = [
      "wire",
      "front/server/connection",
      "front/server/express",
      "front/fetch",
      "front/testing",
    ];
    const isBeside = (file: string): boolean =>
      places.some((place) => file.startsWith(`src/${place}/`));
    const outside = sources.filter((file) => !isBeside(file));
    expect(search(outside, asked)).toEqual([
      "src/basics/http/node-internals.ts: response.writableLength",
      "src/basics/http/node-internals.ts: response.headersSent",
      // the public type of what an `access` function may see
      "src/define/endpoint/handler-arguments.ts: headersSent",
      "src/define/endpoint/handler-arguments.ts: writableEnded",
      // of the socket of a request with `Expect`, before any stage
      "src/serve/request/expectation.ts: response.headersSent",
    ]);
    expect(search(["src/wire/exchange/exchange.ts"], asked).length).toBeGreaterThan(3);
  });

  test("an exchange and a run have few fields, of which few are written from two files, none from more", () => {
    const toFields = (file: string, name: string): string[] => {
      const body = new RegExp(`class ${name}[ <].*?\\n\\n  (?:constructor|get )`, "s");
      const text = body.exec(read(file))?.[0] ?? "";
      return [...text.matchAll(/^  (?:private |readonly )?(\w+)(?:: | = )/gm)].map(
        ([, field = ""]) => field,
      );
    };
    const ofExchange = [
      ...toFields("src/wire/exchange/exchange.ts", "Exchange"),
      ...toFields("src/serve/pipeline/request-state.ts", "RequestState"),
    ];
    const ofRun = toFields("src/serve/pipeline/endpoint-run.ts", "EndpointRun");
    expect(ofExchange).toContain("isSending");
    expect(ofExchange.length).toBeLessThanOrEqual(18);
    expect(ofRun).toContain("combined");
    expect(ofRun.length).toBeLessThanOrEqual(15);
    const fields = [...ofExchange, ...ofRun];
    const writers = fields.map((field) => {
      const written = new RegExp(
        `\\b(?:state|run|stages)\\.${field} (?:\\?\\?|\\|\\|)?= |\\{ ${field} \\} = state = `,
      );
      return [field, sources.filter((file) => written.test(read(file)))] as const;
    });
    expect(writers.filter(([, files]) => files.length > 2)).toEqual([]);
    const shared = writers.filter(([, files]) => files.length === 2).map(([field]) => field);
    expect(shared).toEqual(["isShared", "isOffered", "next", "body", "nativeNext", "isDone"]);
  });

  test("only `http/method.ts` knows facts of methods, and the client's copy for its bundle", () => {
    const name = "(?:GET|HEAD|POST|PUT|PATCH|DELETE|QUERY)";
    // without "query", which also names a source of the input
    const quoted = `"(?:GET|POST|PUT|PATCH|DELETE|QUERY|get|post|put|patch|delete)"`;
    const compared = new RegExp(`[!=]== ${quoted}|${quoted} [!=]==|\\bmethod [!=]== "query"`, "g");
    const listed = new RegExp(
      `${quoted}, (?:${quoted}|"HEAD")|\\b(?:get|put|delete): \\[|\\b${name}[,|] ?${name}\\b`,
      "g",
    );
    const spelled = /startsWith\("[A-Z]"\)|\/\^\[?[GHPQ][^a-z/]*\/\.test\(/g;
    const places = new Set(["src/basics/http/method.ts", "src/describe/client/method-patterns.ts"]);
    const outside = sources.filter((file) => !places.has(file));
    const found = new Set(search(outside, compared, listed, spelled));
    expect([...found].toSorted()).toEqual([
      // `fetch` turns a POST into a GET after some redirects
      'src/describe/client/send-request.ts: === "POST"',
      // OpenAPI has a field for each other method
      'src/describe/openapi/generate-openapi.ts: method === "query"',
      // the semantic conventions name the methods
      "src/parts/opentelemetry/open-telemetry.ts: GET,HEAD",
      "src/parts/opentelemetry/open-telemetry.ts: PATCH,QUERY",
      "src/parts/opentelemetry/open-telemetry.ts: POST,PUT",
      // the specification of the option fixes this list
      "src/serve/request/cors.ts: GET, POST",
      "src/serve/request/cors.ts: PUT, PATCH",
    ]);
    expect(search([...places], compared, listed, spelled).length).toBeGreaterThan(3);
  });

  test("the clock on the wall is read only where its time meets other processes or people", () => {
    const found = search(sources, /\bDate\.now\b|\bDate\(\)/g).map((line) =>
      line.replace(/:.*/s, ""),
    );
    expect([...new Set(found)].toSorted()).toEqual([
      // the two digits of a year mean one near the present
      "src/basics/http/validators.ts",
      // the time of a log line
      "src/basics/logger/console-logger.ts",
      // `sunset` is a date
      "src/define/endpoint/deprecation.ts",
      // `Last-Modified` is never in the future
      "src/define/endpoint/list-conditions.ts",
      // `Retry-After` may be a date
      "src/describe/client/send-request.ts",
      // stores tell when a window ends
      "src/parts/rate-limit/count-requests.ts",
    ]);
  });

  test("no property is named by a symbol, apart from the marks", () => {
    const declared = sources.flatMap((file) =>
      [...readCode(file).matchAll(/\b(\w+)(?:: unique symbol)? = Symbol(?:\.for)?\(/g)].map(
        ([, name = ""]) => name,
      ),
    );
    // every symbol has a name, so the pattern below finds all properties
    expect(search(sources, /(?<! = )\bSymbol(?:\.for)?\(/g)).toEqual([]);
    const isNamed = (name: string): RegExp =>
      new RegExp(
        `\\[${name}\\](?=\\??:| \\??\\??=(?!=)|\\()|(?:defineProperty|set)\\([^()]*\\b${name}\\b`,
        "g",
      );
    const properties = declared.filter((name) => search(sources, isNamed(name)).length > 0);
    expect(properties.toSorted()).toEqual(marks);
    expect(marks.length).toBeLessThanOrEqual(6);
  });

  test("the tables of undocumented parts have at most 12 rows", () => {
    const [, section = ""] = read("ARCHITECTURE.md").split("## Undocumented parts of dependencies");
    const [tables = ""] = section.split("\n## ");
    // the names of the columns, and the line below them
    const rows = tables.split("\n").filter((line) => /^\| (?!Part |-)/.test(line));
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThanOrEqual(12);
  });

  test("each equivalent mutant quotes a line of its file", () => {
    const equivalent = JSON.parse(read("test/mutants/equivalent.json")) as {
      file: string;
      code: string;
    }[];
    const isQuoted = ({ file, code }: { file: string; code: string }): boolean =>
      read(file)
        .split("\n")
        .some((line) => line.trim() === code);
    expect(equivalent.filter((one) => !isQuoted(one))).toEqual([]);
  });

  test("the main entry exports at most 90 names, values and types, and no name of `sallyport/types`", () => {
    const listNames = (file: string): string[] =>
      [...read(file).matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
        ([, names = ""]) => names.match(/\w+/g) ?? [],
      );
    const names = listNames("src/index.ts");
    expect(names).toContain("createServer");
    expect(names).toContain("Routing");
    expect(names.length).toBeLessThanOrEqual(90);
    const all = [...names, ...listNames("src/types.ts")];
    expect(all.filter((name, at) => all.indexOf(name) < at)).toEqual([]);
  });

  test("the main entry point contains no logic", () => {
    const statements = read("src/index.ts")
      .replace(/\/\/.*$/gm, "")
      .split(";")
      .map((statement) => statement.trim())
      .filter((statement) => statement !== "");
    expect(
      statements.filter((statement) => !/^export (type )?\{[^}]*\} from "/.test(statement)),
    ).toEqual([]);
  });
});
