// The shared part of the type benchmarks: compiles a user's program against this package's declarations, and measures
// the cost.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const ownCompiler = `${root}node_modules/typescript/bin/tsc`;

/** Returns the integers from 0 to `length - 1`. */
export const range = (length) => Array.from({ length }, (_, index) => index);

/** Runs a program and returns its output; throws if it fails, for example because something does not compile. */
const run = (program, args, cwd, env = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${stdout.slice(0, 4000)}${stderr}`);
  return stdout;
};

/** Creates a directory for programs, next to the declarations of this package, and returns the functions that use it. */
export const createBench = (name, compiler = ownCompiler) => {
  // within the repository, so that its packages are found
  const cache = `${root}node_modules/.cache/${name}`;
  const folder = `${cache}/program`;
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }');
  // users have declarations, which are cheaper to read than the source
  const declare = ["-p", "tsconfig.build.json", "--emitDeclarationOnly"];
  run(ownCompiler, [...declare, "--outDir", `${cache}/declarations`], root);
  const version = run(compiler, ["--version"], root).trim();
  // with several threads, each checker would resolve the shared types again
  const single = version.startsWith("Version 7") ? ["--singleThreaded"] : [];

  const write = (file, text) => writeFileSync(`${folder}/${file}`, text);
  const remove = (file) => rmSync(`${folder}/${file}`);

  const configure = (file, more = {}) => {
    const compilerOptions = {
      ...{ module: "nodenext", target: "es2023", lib: ["es2023", "dom"], types: ["node"] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ skipLibCheck: true, noEmit: true },
      paths: {
        sallyport: [`${cache}/declarations/index.d.ts`],
        "sallyport/client": [`${cache}/declarations/client/index.d.ts`],
        "sallyport/generate-client": [`${cache}/declarations/generate-client/index.d.ts`],
      },
      ...more,
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file] }));
  };

  /** Type-checks a file, and returns what that costs. */
  const measure = (file) => {
    configure(file);
    const printed = run(compiler, ["--extendedDiagnostics", ...single], folder);
    const read = (title) => Number(new RegExp(`^${title}: *([\\d.]+)`, "m").exec(printed)?.[1]);
    return {
      instantiations: read("Instantiations"),
      types: read("Types"),
      megabytes: read("Memory used") / 1024,
      seconds: read("Check time"),
    };
  };

  /** Replaces a file with its declarations. */
  const declareFile = (file) => {
    configure(file, { noEmit: false, declaration: true, emitDeclarationOnly: true });
    run(compiler, [], folder);
    remove(file);
  };

  /** Runs a file that imports this package from its source, and returns what the file prints. */
  const execute = (file) =>
    run(`${root}node_modules/tsx/dist/cli.mjs`, [`${folder}/${file}`], root, {
      TSX_TSCONFIG_PATH: `${root}tsconfig.json`,
    });

  return { execute, folder, version, write, remove, configure, measure, declareFile };
};
