import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { report, toCount } from "./harness.ts";
import { ensureNode, ensureNodes } from "./node-versions.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = fileURLToPath(new URL("reply-sequences-program.ts", import.meta.url));
const count = toCount("SALLYPORT_SEQUENCES", 50_000);
const seed = toCount("SALLYPORT_SEED", 20_261_128);

interface Played {
  readonly doneCount: number;
  readonly faults: readonly string[];
}

/** Plays sequences on a version of Node.js, with the sources in a directory. */
const play = async (node: string, sources: string, runs: number): Promise<Played> => {
  const flags = [
    "--disable-warning=SLP_WARN_RUNTIME",
    "--disable-warning=MaxListenersExceededWarning",
  ];
  const args = [
    ...flags,
    "--import",
    "tsx",
    program,
    join(sources, "index.ts"),
    `${runs}`,
    `${seed}`,
  ];
  const child = spawn(node, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "" },
  });
  let text = "";
  for await (const piece of child.stdout) text += piece;
  return JSON.parse(text) as Played;
};

test(`R24: ${count} random sequences of what code does to a response send the same whole replies with and without shortcuts, on four versions of Node.js`, async () => {
  const nodes = ensureNodes();
  for (const [version, node] of nodes) {
    const runs = Math.ceil(count / nodes.size);
    const { doneCount, faults } = await play(node, join(root, "src"), runs);
    report(`Node ${version}: ${doneCount} sequences`);
    expect(faults).toEqual([]);
    expect(doneCount).toBe(runs);
  }
}, 3_600_000);

/** Defects that such sequences must find: the version of Node.js, the file, and the code that is replaced. */
const defects: readonly (readonly [string, string, string, string])[] = [
  ["24", "wire/shortcuts/shortcuts.ts", "!response.finished &&", ""],
  ["24", "wire/shortcuts/shortcuts.ts", "(corksSocket || response.writableCorked === 0) &&", ""],
  ["24", "wire/shortcuts/shortcuts.ts", "response.writableLength === socket.writableLength &&", ""],
  ["24", "wire/shortcuts/shortcuts.ts", "Buffer.byteLength(text)", "text.length"],
  [
    "24",
    "wire/shortcuts/shortcuts.ts",
    "if (text !== lastText)",
    "if (text.length !== lastText.length)",
  ],
  ["26", "wire/shortcuts/shortcuts.ts", "|| handsOver === false", ""],
  [
    "24",
    "front/server/express/express-classes.ts",
    'response.on("error", ignoreLate)',
    'response.once("error", ignoreLate)',
  ],
  [
    "24",
    "front/server/express/express-classes.ts",
    "while (this.writableCorked > 0) this.uncork();",
    "",
  ],
  [
    "24",
    "front/server/express/express-classes.ts",
    "if (this.writableCorked > 0) super.uncork();",
    "super.uncork();",
  ],
  [
    "24",
    "front/server/express/express-classes.ts",
    "if (this.finished && isSentTwice(this, encoding, callback)) return false;",
    "",
  ],
  ["24", "front/server/express/express-classes.ts", "cutOff(response);", ""],
];

let copy = "";
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "sallyport-sequences-"));
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true }));

test.each(defects)("finds a defect, on Node %s in %s: %s", async (version, file, code, other) => {
  const sources = join(copy, "src");
  rmSync(sources, { recursive: true, force: true });
  cpSync(join(root, "src"), sources, { recursive: true });
  const path = join(sources, file);
  const text = readFileSync(path, "utf8");
  expect(text.split(code)).toHaveLength(2);
  writeFileSync(path, text.replace(code, other));
  const { faults } = await play(ensureNode(version), sources, 3000);
  expect(faults.length).toBeGreaterThan(0);
});
