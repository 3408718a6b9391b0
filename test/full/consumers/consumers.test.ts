import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { generateClient } from "sallyport/generate-client";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { apiKey } from "../../fixtures/users-api/src/factories.ts";
import { routing as exampleRouting } from "../../fixtures/users-api/src/routing.ts";
import { start } from "../../http/harness.ts";
import { drive } from "../../openapi/conformance/drive.ts";
import { isFinite, isForgiving, isLenient } from "../../openapi/conformance/exceptions.ts";
import { placesConfig, placesRouting } from "../../openapi/torture/places.ts";
import { tortureConfig, tortureRouting } from "../../openapi/torture/routing.ts";
import { ensureInstalled } from "../install.ts";
import { ensureNodes } from "../node-versions.ts";
import { generateDocuments } from "./documents.ts";
import { brokenModules, defects, writeChecks } from "./places.ts";

const own = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const home = join(root, "node_modules/.cache/consumers");
const documents = generateDocuments();
const names = [...documents.keys()];
const toPath = (name: string): string => join(home, "documents", `${name}.json`);

beforeAll(() => {
  ensureInstalled(own, home);
  for (const folder of ["documents", "generated", "programs"])
    rmSync(join(home, folder), { recursive: true, force: true });
  cpSync(join(own, "programs"), join(home, "programs"), { recursive: true });
  cpSync(join(own, "redocly.yaml"), join(home, "redocly.yaml"));
  for (const folder of ["documents", "generated"]) mkdirSync(join(home, folder));
  for (const [name, document] of documents)
    writeFileSync(toPath(name), JSON.stringify(document, undefined, 1));
}, 600_000);

const kill: (() => void)[] = [];
afterEach(() => kill.splice(0).forEach((end) => end()));

/** Runs a program that is installed in the directory. */
const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, node = process.execPath) => {
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd: home,
    encoding: "utf8",
    maxBuffer: 50_000_000,
    env: { ...process.env, NODE_OPTIONS: "", VITEST: "", NODE_NO_WARNINGS: "1", ...env },
  });
  return { status, output: stdout, errors: stderr };
};

const inModules = (path: string): string => join(home, "node_modules", path);

describe("Redocly", () => {
  const lint = (path: string) => {
    const args = ["lint", "--config", "redocly.yaml", "--format", "json", path];
    const env = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { output, errors } = run([inModules(".bin/redocly"), ...args], env);
    if (!output.startsWith("{")) throw new Error(errors);
    const { problems, totals } = JSON.parse(output) as {
      readonly totals: { readonly errors: number };
      readonly problems: readonly { readonly severity: string; readonly ruleId: string }[];
    };
    return { errors: totals.errors, rules: new Set(problems.map(({ ruleId }) => ruleId)) };
  };

  test.each(names)("lints the documents without errors: %s", (name) => {
    const { errors, rules } = lint(toPath(name));
    expect(errors).toBe(0);
    // an operation that cannot reject a request has no 4xx response
    expect([...rules].filter((rule) => rule !== "operation-4xx-response")).toEqual([]);
  });

  test.each(["3.0", "3.1", "3.2"])("finds a defect in an OpenAPI %s document", (version) => {
    const document = structuredClone(documents.get(`example-${version}`) ?? { paths: {} });
    const item = Object.values(document.paths)[0] as Record<string, object>;
    item["get"] = { ...item["get"], parameters: [{ name: "a", in: "path", schema: {} }] };
    const path = join(home, "documents/wrong.json");
    writeFileSync(path, JSON.stringify(document));
    const { errors, rules } = lint(path);
    rmSync(path);
    expect(errors).toBeGreaterThan(0);
    expect(rules).toContain("path-parameters-defined");
  });
});

describe("generated clients", () => {
  // two of the generators need a newer Node.js than this package
  const node = ensureNodes().get("22");
  const generated = (name: string): string => join(home, "generated", name);
  const generators: Readonly<Record<string, (name: string, out: string) => readonly string[]>> = {
    "openapi-typescript": (name, out) => [
      ...[inModules(".bin/openapi-typescript"), toPath(name), "-o", `${out}.ts`],
    ],
    "hey-api": (name, out) => toHeyApi("@hey-api/openapi-ts", name, out),
    "hey-api-0.95": (name, out) => toHeyApi("@hey-api/openapi-ts-0.95", name, out),
    orval: (name, out) => toOrval("orval/dist/bin/orval.mjs", name, out),
    "orval-7": (name, out) => toOrval("orval-7/dist/bin/orval.js", name, out),
  };
  const toHeyApi = (home: string, name: string, out: string): readonly string[] => [
    ...[inModules(`${home}/bin/run.js`), "-i", toPath(name), "-o", out],
    ...["-c", "@hey-api/client-fetch", "--silent", "--no-log-file"],
  ];
  const toOrval = (program: string, name: string, out: string): readonly string[] => [
    ...[inModules(program), "--input", toPath(name), "--output", `${out}.ts`, "--client", "fetch"],
  ];

  // openapi-typescript does not support OpenAPI 3.2, and rejects its event streams
  const pairs = Object.keys(generators).flatMap((generator) =>
    names
      .filter((name) => generator !== "openapi-typescript" || !name.endsWith("3.2"))
      .map((name) => [generator, name] as const),
  );

  interface Misread {
    readonly by: string;
    readonly at: string;
    readonly error: string;
  }

  /** Reads the place and the kind whose check a compiler rejects. */
  const findMisread = (line: string): Misread | undefined => {
    const [, file = "", number, error = ""] =
      /^generated\/(check-.*\.ts)\((\d+),.*? error (.*)$/.exec(line) ?? [];
    if (number === undefined) return undefined;
    const [by = ""] = /(?<=^check-).*(?=\.ts$)/.exec(file) ?? [];
    const source = readFileSync(generated(file), "utf8").split("\n")[Number(number) - 1] ?? "";
    return { by: by.replace("-places-", " "), at: source.split("; // ")[1] ?? source, error };
  };

  /** Writes what checks the types that each generator has made of the kinds at each place. */
  const writeAllChecks = (): void => {
    const client = { routing: placesRouting, config: placesConfig };
    writeFileSync(generated("own.ts"), generateClient(client));
    for (const [generator, name] of pairs.filter((pair) => pair[1].startsWith("places"))) {
      const isHeyApi = generator.startsWith("hey-api");
      const module = `./${generator}-${name}${isHeyApi ? "/types.gen" : ""}.ts`;
      const [kind] = generator.split(/-(?=\d)/) as ["hey-api" | "openapi-typescript" | "orval"];
      writeFileSync(generated(`check-${generator}-${name}.ts`), writeChecks(kind, module));
    }
  };

  test.each(pairs)("%s reads %s", (generator, name) => {
    const args = generators[generator]?.(name, generated(`${generator}-${name}`)) ?? [];
    const { status, output, errors } = run(args, { CI: "true" }, node);
    // a warning names its place, which may contain the word
    const said = (output + errors).replaceAll(/#\/\S+/g, "");
    expect([status, said]).toEqual([0, expect.not.stringMatching(/\berror\b/i)]);
  });

  test.each([
    ["7", join(root, "node_modules/typescript/bin/tsc")],
    ["5.9", inModules("typescript/bin/tsc")],
  ])(
    "type-check with TypeScript %s, including the programs that use them",
    (_version, compiler) => {
      const compilerOptions = {
        ...{ module: "esnext", moduleResolution: "bundler", target: "es2023", strict: true },
        ...{ lib: ["es2023", "dom", "dom.iterable"], types: ["node"], noEmit: true },
        ...{ typeRoots: [join(root, "node_modules/@types")], allowImportingTsExtensions: true },
      };
      const include = ["generated", "programs/*.ts"];
      writeAllChecks();
      writeFileSync(join(home, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
      const lines = run([compiler, "-p", "tsconfig.json", "--listFiles"]).output.split("\n");
      const errors = lines.filter((line) => / error TS\d+: /.test(line));
      const wrong = errors.filter((line) => !line.startsWith("generated/check-"));
      expect(wrong.filter((line) => !brokenModules.some((known) => known.test(line)))).toEqual([]);
      const misread = errors.flatMap((line) => findMisread(line) ?? []);
      const isKnown = ({ by, at }: Misread, known: (typeof defects)[number]) =>
        known.by.test(by) && known.at.test(at);
      expect(misread.filter((one) => !defects.some((known) => isKnown(one, known)))).toEqual([]);
      expect(defects.filter((known) => !misread.some((one) => isKnown(one, known)))).toEqual([]);
      const missing = pairs.filter(
        ([generator, name]) => !lines.some((line) => line.includes(`/${generator}-${name}`)),
      );
      expect(missing).toEqual([]);
    },
  );

  test.each(["hey-api", "openapi-fetch"])(
    "call the running example correctly: %s",
    async (program) => {
      const { port } = await start(exampleRouting, { cors: false });
      const tsx = pathToFileURL(join(root, "node_modules/tsx/dist/loader.mjs")).href;
      const env = { URL_OF_API: `http://127.0.0.1:${port}`, KEY_OF_API: apiKey };
      const child = spawn(process.execPath, ["--import", tsx, `programs/${program}.ts`], {
        cwd: home,
        env: { ...process.env, NODE_OPTIONS: "", VITEST: "", ...env },
      });
      let printed = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      await once(child, "exit");
      expect(printed.trim()).toBe("proven");
    },
  );
});

describe("express-openapi-validator in front of an API", () => {
  /** Returns the port of the validator. */
  const startValidator = async (path: string, port: number): Promise<number> => {
    const args = ["programs/validator.mjs", path, String(port)];
    const child = spawn(process.execPath, args, {
      cwd: home,
      stdio: ["ignore", "pipe", "inherit"],
    });
    kill.push(() => child.kill());
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return Number(String(line));
  };

  test.each(["3.0", "3.1"])(
    "rejects nothing that the example accepts (OpenAPI %s)",
    async (version) => {
      const { port } = await start(exampleRouting, { cors: false });
      const document = documents.get("example-3.1") ?? { paths: {} };
      const driven = await drive({
        ...{ document, calls: 2000, secret: apiKey },
        port: await startValidator(toPath(`example-${version}`), port),
        // the validator reads uploads itself
        only: (at) => isFinite(at) && !/^(?:post|put) .*picture$/.test(at),
      });
      expect(driven.violations).toEqual([]);
      expect(driven.accepted).toBeGreaterThan(500);
      expect(driven.refused).toBeGreaterThan(500);
    },
  );

  /** The requests that the validator rejects regardless of the document. */
  const ownRefusals: readonly RegExp[] = [
    /must be url encoded/, // a space as + in a query
    /Empty value found for query parameter/,
    /strict mode: "prefixItems"/, // tuples with a rest
    /query parameter 'key' required/, // a key that may be in the body, which no document can say
  ];

  test.each(["3.0", "3.1"])(
    "rejects nothing that the torture API accepts (OpenAPI %s)",
    async (version) => {
      const { port } = await start(tortureRouting, tortureConfig);
      const document = documents.get("torture-3.1") ?? { paths: {} };
      const driven = await drive({
        ...{ document, calls: 2000, secret: "let-me-in", isLenient, isForgiving },
        port: await startValidator(toPath(`torture-${version}`), port),
        // the validator reads uploads itself, does not convert numbers in forms, and ignores catches
        only: (at) => !/\/(?:upload(?:-or-json)?|form|kinds\/catch)$/.test(at),
      });
      const violations = driven.violations.filter(
        (violation) => !ownRefusals.some((refusal) => refusal.test(violation)),
      );
      expect(violations).toEqual([]);
      expect(driven.violations.length).toBeLessThan(driven.accepted / 10);
    },
  );

  test("reports requests that a wrong document does not allow", async () => {
    const { port } = await start(exampleRouting, { cors: false });
    const document = documents.get("example-3.1") ?? { paths: {} };
    const path = join(home, "documents/wrong.json");
    writeFileSync(path, JSON.stringify(document).replaceAll('"maxLength":100', '"maxLength":2'));
    const driven = await drive({
      ...{ document, calls: 100, secret: apiKey },
      port: await startValidator(path, port),
      only: (at) => at.endsWith("/v1/users"),
    });
    expect(driven.violations).not.toEqual([]);
  });
});
