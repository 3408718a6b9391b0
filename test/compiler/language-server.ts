import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { compiler } from "./compile.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Completions {
  readonly items: readonly { readonly label: string }[];
}

interface Hover {
  readonly contents: { readonly value: string };
}

const blankLine = Buffer.from("\r\n\r\n");

/** The language server of TypeScript 7, started as an editor starts it. */
export interface LanguageServer {
  /** Returns the type that an editor shows at an offset in a file, on one line, without the documentation. */
  readonly hover: (file: string, text: string, offset: number) => Promise<string>;
  /** Returns the documentation that an editor shows below the type, in Markdown. */
  readonly describe: (file: string, text: string, offset: number) => Promise<string>;
  /** Returns the completions that an editor offers at an offset in a file. */
  readonly complete: (file: string, text: string, offset: number) => Promise<readonly string[]>;
  readonly close: () => void;
}

/** Starts the language server in a directory. */
export const startLanguageServer = async (folder: string): Promise<LanguageServer> => {
  const server = spawn(process.execPath, [compiler, "--lsp", "--stdio"], { cwd: folder });
  const waiting = new Map<number, (message: Message) => void>();
  let lastId = 0;

  const write = (message: Message): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const request = async (method: string, params: unknown): Promise<unknown> => {
    const id = ++lastId;
    const { error, result } = await new Promise<Message>((resolve) => {
      waiting.set(id, resolve);
      write({ id, method, params });
    });
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const receive = (message: Message): void => {
    const { id, method, params } = message;
    if (id === undefined) return;
    if (method === undefined) waiting.get(id)?.(message);
    else {
      // the server waits for this response; a configuration request expects one result per item
      const { items } = (params ?? {}) as { readonly items?: readonly unknown[] };
      write({ id, result: items?.map(() => null) ?? null });
    }
  };

  let bytes: Buffer = Buffer.alloc(0);
  server.stdout.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const start = bytes.indexOf(blankLine) + blankLine.length;
      const length = Number(/Content-Length: (\d+)/.exec(bytes.toString("latin1", 0, start))?.[1]);
      if (start < blankLine.length || !(bytes.length >= start + length)) return;
      receive(JSON.parse(bytes.toString("utf8", start, start + length)) as Message);
      bytes = bytes.subarray(start + length);
    }
  });

  await request("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } },
  });
  write({ method: "initialized", params: {} });

  const opened = new Set<string>();
  /** Opens a file unless it is open, and sends a request about an offset in it. */
  const ask = async (
    method: string,
    file: string,
    text: string,
    offset: number,
  ): Promise<unknown> => {
    const { href: uri } = pathToFileURL(file);
    if (!opened.has(file)) {
      opened.add(file);
      write({
        method: "textDocument/didOpen",
        params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
      });
    }
    const before = text.slice(0, offset).split("\n");
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    return request(`textDocument/${method}`, { textDocument: { uri }, position });
  };

  const split = async (file: string, text: string, offset: number) => {
    const shown = await ask("hover", file, text, offset);
    const { value = "" } = (shown as Hover | null)?.contents ?? {};
    const [, type = "", documentation = ""] = /^```\w+\n(.*?)\n```(.*)$/s.exec(value) ?? [];
    return { type: type.replaceAll(/\s+/g, " "), documentation };
  };
  const hover: LanguageServer["hover"] = async (...place) => (await split(...place)).type;
  const describe: LanguageServer["describe"] = async (...place) =>
    (await split(...place)).documentation;
  const complete: LanguageServer["complete"] = async (file, text, offset) => {
    const offered = (await ask("completion", file, text, offset)) as Completions | null;
    return offered?.items.map(({ label }) => label) ?? [];
  };
  return { hover, describe, complete, close: () => void server.kill() };
};
