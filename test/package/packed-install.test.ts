import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultEndpointsFactory } from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tortureConfig, tortureRouting } from "../openapi/torture/routing.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
let folder = "";
let tarball = "";

const run = (command: string, args: readonly string[], cwd: string): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
};

/** Type-checks the consumer with a compiler and gives its declarations. */
const check = (compiler: string, outDir: string): string[] => {
  run(
    process.execPath,
    [join(folder, "node_modules", compiler, "bin/tsc"), "--outDir", outDir],
    folder,
  );
  return readdirSync(join(folder, outDir));
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-consumer-"));
  run("npm", ["pack", "--loglevel=error", "--ignore-scripts", "--pack-destination", folder], root);
  tarball = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  cpSync(join(root, "test/package/consumer"), folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2023",
        types: ["node"],
        strict: true,
        exactOptionalPropertyTypes: true,
        declaration: true,
        skipLibCheck: false,
      },
      files: ["index.ts"],
    }),
  );
  run(
    "npm",
    [
      ...["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"],
      ...[`./${tarball}`, "express@5", "zod@4", "http-errors@2", "@types/node@20"],
      ...["typescript@7.0.2", "typescript-5@npm:typescript@5.9"],
      ...["typescript-5.0@npm:typescript@5.0", "typescript-6@npm:typescript@6"],
    ],
    folder,
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed package in an empty folder", () => {
  test("holds what users need and no tests", () => {
    const files = run("tar", ["-tzf", join(folder, tarball)], folder)
      .trim()
      .split("\n");
    expect(files).toContain("package/dist/index.js");
    expect(files).toContain("package/dist/index.d.ts");
    expect(files).toContain("package/README.md");
    expect(files).toContain("package/LICENSE");
    expect(files.filter((file) => file.includes(".test"))).toEqual([]);
    expect(
      files.filter((file) => !/^package\/(dist\/|package\.json|README\.md|LICENSE)/.test(file)),
    ).toEqual([]);
  });

  test("serves when it is imported as an ES module", () => {
    expect(run(process.execPath, ["import.mjs"], folder)).toBe(
      '{"status":"success","data":{"hello":"world"}}\n',
    );
  });

  test("exports the documented names when it is required from CommonJS", () => {
    expect(run(process.execPath, ["require.cjs"], folder).trim().split(" ")).toEqual([
      "ConfigError",
      "DefinitionError",
      "Endpoint",
      "EndpointsFactory",
      "EventStreamFactory",
      "InputValidationError",
      "Middleware",
      "OutputValidationError",
      "RequestError",
      "ResultHandler",
      "RoutingError",
      "ServeStatic",
      "ServerFault",
      "arrayEndpointsFactory",
      "arrayResultHandler",
      "attachRouting",
      "createConfig",
      "createServer",
      "defaultEndpointsFactory",
      "defaultResultHandler",
      "ensureHttpError",
      "ez",
      "getMessageFromError",
      "getRawBody",
      "problemEndpointsFactory",
      "problemResultHandler",
      "testEndpoint",
      "testMiddleware",
      "testServer",
      "toPublicMessage",
    ]);
  });

  test("type-checks with TypeScript 7, and all inferred types have names", () => {
    expect(check("typescript", "out-7")).toContain("index.d.ts");
  });

  test("type-checks with TypeScript 5.9, and all inferred types have names", () => {
    expect(check("typescript-5", "out-5")).toContain("index.d.ts");
  });

  test("writes a client by its command, the same as from the source", () => {
    const api = `
      import { defaultEndpointsFactory as factory } from "sallyport";
      export const routing = { hello: factory.build({ handler: () => ({}) }) };
    `;
    writeFileSync(join(folder, "api.mjs"), api);
    const command = join(folder, "node_modules/sallyport/dist/cli/main.js");
    run(process.execPath, [command, "client", "api.mjs", "--out", "generated/hello.ts"], folder);
    const written = readFileSync(join(folder, "generated/hello.ts"), "utf8");
    const routing = { hello: defaultEndpointsFactory.build({ handler: () => ({}) }) };
    expect(written).toBe(generateClient({ routing }));
  });

  test.each(["typescript-5.0", "typescript-5", "typescript-6", "typescript"])(
    "what it writes of the torture routing type-checks with %s",
    (compiler) => {
      const out = join(folder, "generated");
      mkdirSync(out, { recursive: true });
      for (const format of ["date", "string"] as const)
        writeFileSync(
          join(out, `${format}.ts`),
          generateClient({ routing: tortureRouting, config: tortureConfig, format }),
        );
      const compilerOptions = {
        ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
        ...{ noUnusedLocals: true, isolatedModules: true, verbatimModuleSyntax: true },
        ...{ noEmit: true, types: [], lib: ["es2020", "dom", "dom.iterable"] },
        ...{ target: "es2020", module: "esnext", moduleResolution: "bundler" },
      };
      const files = ["date.ts", "string.ts"];
      writeFileSync(join(out, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
      run(process.execPath, [join(folder, "node_modules", compiler, "bin/tsc"), "-p", out], out);
    },
  );

  test("has a package.json without faults", () => {
    const bin = (name: string): string => join(root, "node_modules/.bin", name);
    run(bin("publint"), ["--strict", join(folder, "node_modules/sallyport")], folder);
    run(bin("attw"), [join(folder, tarball), "--profile", "esm-only", "--no-emoji"], folder);
  });
});
