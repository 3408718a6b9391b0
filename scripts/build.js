// Builds `dist` from `src`, and the `dist` of each package in `packages/`: the declarations that users' compilers read, and the modules, joined into readable chunks that
// are loaded together, with source maps that contain the source. It also writes the source of the client, which generated
// clients contain.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = join(root, "dist");
const { bin, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** The modules that package.json names, without their extension: `index`, `openapi/index` and so on. */
const entries = [...Object.values(exports), { default: bin.sallyport }]
  .map((entry) => /^\.\/dist\/(.*)\.js$/.exec(entry.default ?? "")?.[1])
  .filter((entry) => entry !== undefined);

/** Returns the source of an entry, which is in one of the wings; its module is named without the wing, as tools may know it by its path. */
const findSource = (entry) =>
  ["", ...readdirSync(join(root, "src")).map((wing) => `${wing}/`)]
    .map((wing) => `src/${wing}${entry}.ts`)
    .find((file) => existsSync(join(root, file)));

/** The module that is published as it is written: CommonJS, beside the chunks. */
const packages = "basics/lazy/packages.cjs";

/** Deletes the declarations that no entry point refers to. */
const pruneDeclarations = () => {
  const needed = new Set();
  const visit = (file) => {
    if (needed.has(file)) return;
    needed.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, path] of text.matchAll(/(?:from |import\(|import )"(\.[^"]+)\.[jt]s"/g))
      visit(join(dirname(file), `${path}.d.ts`));
  };
  for (const { types } of Object.values(exports)) if (types) visit(join(root, types));
  const prune = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) prune(path);
      else if (!needed.has(path)) rmSync(path);
    }
    if (readdirSync(folder).length === 0) rmdirSync(folder);
  };
  prune(dist);
};

const buildModules = async () => {
  const runtime = await readClientSource();
  /** The modules that the main entry always loads, and those that a server loads, too: a chunk each. */
  const chunks = { core: new Set(), server: new Set() };
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, findSource(entry)])),
    plugins: [
      {
        name: "packages",
        resolveId: (id) =>
          id.endsWith(packages) ? { id: join(root, "src", packages), external: true } : undefined,
        load: (id) =>
          id === join(root, "src/describe/generate-client/read-runtime.ts")
            ? `export const readRuntime = () => ${JSON.stringify(runtime)};`
            : undefined,
        buildEnd() {
          const collect = (chunk, id) => {
            if (chunk.has(id)) return;
            chunk.add(id);
            for (const imported of this.getModuleInfo(id)?.importedIds ?? [])
              collect(chunk, imported);
          };
          const main = join(root, "src/index.ts");
          collect(chunks.core, main);
          // a bundler that writes one file needs to drop what it does not use together with its dynamic imports
          for (const id of chunks.core)
            if (id === main || this.getModuleInfo(id)?.dynamicallyImportedIds.length > 0)
              chunks.core.delete(id);
          collect(chunks.server, join(root, "src/front/server/start-server.ts"));
        },
      },
    ],
    // matches package names, but no paths; on Windows, absolute paths begin with a drive letter
    external: /^(?![./]|[A-Za-z]:[\\/])/,
    platform: "node",
    // keeps imports that only preload a chunk
    treeshake: { moduleSideEffects: true },
  });
  await build.write({
    dir: dist,
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // Node takes about as long to load a small module as to load a large one
    codeSplitting: {
      groups: Object.entries(chunks).map(([name, chunk]) => ({
        name,
        test: (id) => chunk.has(id),
      })),
    },
  });
  await build.close();
  cpSync(join(root, "src", packages), join(dist, packages));
};

/** Returns what `generate-client/read-runtime.ts` reads from the sources. */
const readClientSource = async () => {
  const build = await rolldown({
    input: join(root, "src/describe/generate-client/runtime-source.ts"),
    external: /^node:/,
    platform: "node",
  });
  const { output } = await build.generate({ format: "esm" });
  await build.close();
  const { joinModules } = await import(
    `data:text/javascript,${encodeURIComponent(output[0].code)}`
  );
  return joinModules(pathToFileURL(`${root}src/describe/client/`));
};

const compile = (config) => {
  const { status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", config],
    { cwd: root, stdio: "inherit" },
  );
  if (status !== 0) process.exit(status ?? 1);
};

/** Lists the packages, each after those that it uses. */
const listPackages = () => {
  const names = readdirSync(join(root, "packages")).filter((name) =>
    existsSync(join(root, "packages", name, "package.json")),
  );
  const listUsed = (name) => {
    const text = readFileSync(join(root, "packages", name, "package.json"), "utf8");
    const { dependencies = {} } = JSON.parse(text);
    return names.filter((one) => `@sallyport/${one}` in dependencies);
  };
  const visit = (name) => [...listUsed(name).flatMap(visit), name];
  return new Set(names.flatMap(visit));
};

/** Compiles the packages beside the core, which see the core as their users do: by its built entries. */
const buildPackages = () => {
  for (const name of listPackages()) {
    const config = join(root, "packages", name, "tsconfig.build.json");
    if (!existsSync(config)) continue;
    rmSync(join(root, "packages", name, "dist"), { recursive: true, force: true });
    compile(config);
  }
};

rmSync(dist, { recursive: true, force: true });
compile("tsconfig.build.json");
pruneDeclarations();
await buildModules();
buildPackages();
