// npm run bench:completion: measures how long TypeScript's language servers take to complete the keys of a client.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createBench } from "./compile.mjs";
import { toClient, toPrinter, toServer } from "./client-programs.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

const { values } = parseArgs({
  options: {
    tsserver: { type: "string", multiple: true, default: [] },
    endpoints: { type: "string", default: "1000" },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Passes each message in a stream to a function; the header of a message states its length. */
const readMessages = (stream, receive) => {
  let bytes = Buffer.alloc(0);
  stream.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const end = bytes.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(bytes.toString("latin1", 0, end))?.[1]);
      const start = end + 4;
      if (end < 0 || !(bytes.length >= start + length)) return;
      receive(JSON.parse(bytes.toString("utf8", start, start + length)));
      bytes = bytes.subarray(start + length);
    }
  });
};

/** Starts the language server of TypeScript 7; `complete` returns the labels that it offers at the end of a text. */
const startLsp = async (folder, file) => {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const child = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { cwd: folder });
  const waiting = new Map();
  let last = 0;
  const write = (message) => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const request = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      write({ id: last, method, params });
    });
  readMessages(child.stdout, ({ id, method, params, result }) => {
    if (id !== undefined && method !== undefined)
      write({ id, result: params?.items?.map(() => null) ?? null });
    else waiting.get(id)?.(result);
  });
  const { href: uri } = pathToFileURL(file);
  await request("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: {},
  });
  write({ method: "initialized", params: {} });
  let version = 0;
  const complete = async (text) => {
    version++;
    const textDocument = { uri, languageId: "typescript", version, text };
    if (version === 1) write({ method: "textDocument/didOpen", params: { textDocument } });
    else
      write({
        method: "textDocument/didChange",
        params: { textDocument: { uri, version }, contentChanges: [{ text }] },
      });
    const lines = text.split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1).length - 1 };
    const found = await request("textDocument/completion", { textDocument: { uri }, position });
    return (found?.items ?? found ?? []).map(({ label }) => label);
  };
  return { complete, close: () => child.kill() };
};

/** Starts the language server of TypeScript 5 or 6, like {@link startLsp}. */
const startTsserver = async (path, folder, file) => {
  const child = spawn(process.execPath, [path, "--disableAutomaticTypingAcquisition"], {
    cwd: folder,
  });
  const waiting = new Map();
  let seq = 0;
  const request = (command, args) =>
    new Promise((resolve) => {
      waiting.set(++seq, resolve);
      child.stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: args })}\n`);
    });
  readMessages(child.stdout, ({ type, request_seq: of, body }) => {
    if (type === "response") waiting.get(of)?.(body);
  });
  const complete = async (text) => {
    // the server responds only to `completionInfo`
    void request("open", { file, fileContent: text, projectRootPath: folder });
    const lines = text.split("\n");
    const place = { line: lines.length, offset: lines.at(-1).length };
    const found = await request("completionInfo", { file, ...place });
    return (found?.entries ?? []).map(({ name }) => name);
  };
  return { complete, close: () => child.kill() };
};

const wholeKey = "get /v1/things7/:id";

/** Returns the places to complete, each with a title, the text typed so far, and a key that must be offered. */
const toPlaces = (endpoints) => [
  ["the methods", "", "get /"],
  ["the first segment", "get /", "get /v1/"],
  ["the second segment", "get /v1/", `get /v1/things${Math.floor(endpoints / 10)}`],
  ["the rest", "get /v1/things7/", wholeKey],
];

const readVersion = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, "utf8")).version;

const toMedian = (times) => times.toSorted((one, other) => one - other)[times.length >> 1];

const measure = async (name, { complete, close }, text, endpoints, count) => {
  let turns = 0;
  const ask = async (typed) => {
    // the text changes before each request, as if somebody were typing
    const changed = `${text}\n// ${++turns}\nvoid client.provide("${typed}"`;
    const start = performance.now();
    const labels = await complete(changed);
    return { labels, time: performance.now() - start };
  };
  const { time: first } = await ask("");
  process.stdout.write(
    `${name}: ${first.toFixed(0)} ms for the first response, including loading the program\n`,
  );
  for (const [what, typed, expected] of toPlaces(endpoints)) {
    const times = [];
    for (let turn = 0; turn < count; turn++) {
      const { labels, time } = await ask(typed);
      // with the file written by `sallyport client --types`, whole keys are offered instead of segments
      if (![expected, wholeKey].some((key) => labels.includes(key)))
        throw new Error(
          `${name} does not offer ${expected}; it offers ${labels.slice(0, 5).join(", ")}`,
        );
      times.push(time);
    }
    process.stdout.write(
      `  ${what.padEnd(20)}${toMedian(times).toFixed(0).padStart(5)} ms, at most ${Math.max(...times).toFixed(0)} ms\n`,
    );
  }
  close();
};

const main = async () => {
  if (values.help) {
    process.stdout.write(
      "Measures how long an editor waits for the keys of a client after each change.\n\n  --tsserver PATH   the tsserver.js of an additional TypeScript 5 or 6; may be repeated\n  --endpoints NUMBER\n  --quick           skips the source of the server, which takes minutes\n",
    );
    return;
  }
  const endpoints = Number(values.endpoints);
  const { folder, write, remove, configure, declareFile, execute } =
    createBench("sallyport-completion");
  const text = toClient(endpoints, 0);
  const file = `${folder}/client.ts`;
  write("client.ts", text);
  const measureAll = async (what, count = 9) => {
    process.stdout.write(`${what}\n`);
    configure("client.ts");
    const own = await startLsp(folder, file);
    await measure(
      `TypeScript ${readVersion(`${root}node_modules/typescript`)}`,
      own,
      text,
      endpoints,
      count,
    );
    for (const path of values.tsserver) {
      const other = await startTsserver(path, folder, file);
      const name = `TypeScript ${readVersion(`${dirname(path)}/..`)}`;
      await measure(name, other, text, endpoints, count);
    }
  };
  write("server.ts", toServer(endpoints));
  if (!values.quick)
    await measureAll(
      "The client imports the source of the server, whose endpoints are inferred again after each change:",
      1,
    );
  declareFile("server.ts");
  await measureAll("The client imports the emitted declarations of the server:");
  write("print.ts", toPrinter(endpoints));
  write("server.d.ts", execute("print.ts"));
  remove("print.ts");
  await measureAll("The client imports the file written by `sallyport client --types`:");
};

await main();
