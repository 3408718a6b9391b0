import { spawn } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { beforeAll, expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The rooms whose functions handle requests. */
const rooms = [
  ...["basics/http", "basics/logger", "basics/schemas", "wire/reply"],
  ...["define/results", "define/endpoint", "define/routing", "serve", "front/server"],
];

/** One request during which a function threw. */
interface Outcome {
  readonly setup: string;
  readonly scenario: string;
  readonly id: number;
  /** The status without the error. */
  readonly wanted: string;
  readonly status: string;
  readonly isAlive: boolean;
  readonly isLogged: boolean;
  readonly faults: readonly string[];
}

/**
 * Functions that Node, a stream or a promise calls itself, so that nothing can catch what they throw; each consists of a
 * few statements.
 */
const uncaught: readonly RegExp[] = [
  / (?:constructor|findState|ignore)$/,
  /^server\/connection\/(?:listener\.ts |serve-in-order\.ts (?:onRequest|release)$)/,
  // the callback that Express calls when no layer of the application has answered
  /^server\/(?:express-stack\.ts toEnding|(?:express-stack|serve-request)\.ts end)$/,
  /^request\/(?:read-bytes\.ts safely$|uploads\.ts (?:pass|read|receive|discard|onData|prepareUploads)$)/,
  /^pipeline\/(?:request-state\.ts onClose|time-limit\.ts (?:runWithin|late|expire))$/,
  /^(?:shortcuts\/shortcuts\.ts |http\/node-internals\.ts endOnce|reply\/close-after-reply\.ts )/,
  // the methods of a response that `send` calls while it streams a file
  /^server\/express\/(?:(?:express-classes|static-mounts)\.ts |express-app\.ts isPatched$)/,
];

/** The stages of a request, in order; each responds with 500 if it throws, and the error is logged. */
const stages: readonly string[] = [
  ...["server/serve-request.ts findFramingFault", "request/request-id.ts createIdentifier"],
  "request/canonical-path.ts toCanonicalPath",
  ...["server/dispatch.ts dispatch", "request/cors.ts setCorsHeaders"],
  ...["request/foreign-form.ts isForeignForm", "pipeline/run-endpoint.ts runEndpoint"],
  ...["pipeline/run-middlewares.ts runMiddlewares", "request/parse-body.ts parseBody"],
  ...["request/parse-json.ts parseJson", "request/combine-input.ts combineInput"],
  ...["pipeline/validate.ts validateInput", "pipeline/run-endpoint.ts runHandler"],
  ...["pipeline/run-endpoint.ts toUncheckedOutput", "results/send-result.ts send"],
  "reply/send-reply.ts sendReply",
  ...["pipeline/validate.ts validate", "pipeline/answer.ts callResultHandler"],
  ...["pipeline/answer-error.ts answerError", "reply/send-json.ts sendJson"],
  ...["pipeline/send-content.ts sendContent"],
];

const places: string[] = [];

/** The parts of a syntax tree that matter here. */
interface SyntaxNode {
  readonly type: string;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string } | null;
  readonly body?: { readonly start: number; readonly end: number };
  readonly expression?: boolean;
}

/** Inserts a call of `globalThis.plant` at the beginning of each function of a file. */
const plant = (path: string, file: string): void => {
  const text = readFileSync(path, "utf8");
  const edits: (readonly [number, string])[] = [];
  const visit = (node: unknown, name: string): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, name);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const { type, id, key, body, expression } = node as SyntaxNode;
    const isNamed = /^(?:VariableDeclarator|MethodDefinition|PropertyDefinition|Property)$/;
    const named = isNamed.test(type) ? (id?.name ?? key?.name ?? name) : name;
    if (/^(?:ArrowFunction|Function)Expression$/.test(type) && body) {
      const { start, end } = body;
      const call = `globalThis.plant?.(${places.push(`${file} ${named}`) - 1})`;
      if (expression) edits.push([start, `(${call},`], [end, ")"]);
      else edits.push([start + 1, `${call};`]);
    }
    for (const value of Object.values(node)) visit(value, named);
  };
  visit(parseSync(path, text).program.body, "");
  let planted = text;
  for (const [at, inserted] of edits.toSorted((a, b) => b[0] - a[0]))
    planted = planted.slice(0, at) + inserted + planted.slice(at);
  writeFileSync(path, planted);
};

let outcomes: readonly Outcome[] = [];

beforeAll(async () => {
  const copy = mkdtempSync(join(tmpdir(), "planted-"));
  cpSync(join(root, "src"), join(copy, "src"), { recursive: true });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  for (const room of rooms)
    for (const entry of readdirSync(join(copy, "src", room), { recursive: true })) {
      const path = join(copy, "src", room, String(entry));
      if (path.endsWith(".ts") && !/(?:\.test|-d)\.ts$/.test(path))
        // a place is named without its wing
        plant(path, relative(join(copy, "src"), path).replace(/^\w+\//, ""));
    }
  cpSync(new URL("planted-throws-program.mjs", import.meta.url), join(copy, "program.mjs"));
  const skipped = places.flatMap((place, id) =>
    uncaught.some((one) => one.test(place)) ? id : [],
  );
  const args = ["--import", "tsx", "program.mjs", join(copy, "src/index.ts")];
  args.push(JSON.stringify(skipped));
  const child = spawn(process.execPath, args, {
    cwd: copy,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "" },
  });
  let text = "";
  for await (const chunk of child.stdout) text += chunk;
  outcomes = JSON.parse(text) as Outcome[];
  rmSync(copy, { recursive: true });
}, 1_200_000);

const describeOutcome = ({ setup, scenario, id, status, faults }: Outcome): string =>
  `${places[id]} (${setup}, ${scenario}): ${status} ${faults.join(", ")}`;

test("H21: an error in any function that handles a request never ends the process", () => {
  expect(outcomes.length).toBeGreaterThan(1000);
  const bad = outcomes.filter(
    ({ faults, isAlive, status }) => faults.length > 0 || !isAlive || status === "hangs",
  );
  expect(bad.map(describeOutcome)).toEqual([]);
});

test.each(stages)("H21: an error in %s is logged, and responded to with 500", (stage) => {
  const own = outcomes.filter(({ id, faults }) => places[id] === stage && faults.length === 0);
  expect(own.length).toBeGreaterThan(0);
  const good = own.filter(({ status, isLogged }) => status === "500" && isLogged);
  onTestFinished(({ task }) => {
    if (task.result?.state === "fail")
      process.stderr.write(`${own.map(describeOutcome).join("\n")}\n`);
  });
  expect(good.length).toBeGreaterThan(0);
});
