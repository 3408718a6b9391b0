import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { validate } from "dockerfile-utils";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "../src/run.ts";
import { templateNames } from "../src/templates.ts";
import { version } from "../src/write-project.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "create-sallyport-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Call {
  readonly environment?: Readonly<Record<string, string>>;
  /** The lines that are typed at a terminal; without them, there is no terminal. */
  readonly typed?: readonly string[];
}

/** Runs the command with streams of its own, in the folder of the test. */
const call = async (args: readonly string[], { environment = {}, typed }: Call = {}) => {
  const isTTY = typed !== undefined;
  const [input, output, errors] = [
    Object.assign(new PassThrough(), { isTTY }),
    Object.assign(new PassThrough(), { isTTY }),
    new PassThrough(),
  ];
  let answered = 0;
  // an answer follows each question
  output.on("data", (chunk: Buffer) => {
    if (!String(chunk).endsWith(": ")) return;
    const answer = typed?.[answered++];
    if (answer === undefined) input.end();
    else input.write(`${answer}\n`);
  });
  const texts = [text(output), text(errors)];
  // the caller's package manager must not count
  const { npm_config_user_agent: _agent, npm_config_template: _template, ...own } = process.env;
  const around = { folder, environment: { ...own, ...environment }, input, output, errors };
  const code = await run(args, around);
  output.end();
  errors.end();
  const [printed = "", failure = ""] = await Promise.all(texts);
  return { code, printed, failure, answered };
};

/** An environment in which no packages can be installed. */
const offline = {
  npm_config_registry: "http://127.0.0.1:1",
  npm_config_fetch_retries: "0",
  npm_config_loglevel: "silent",
};

const read = (file: string): string => readFileSync(join(folder, file), "utf8");

const quick = ["--no-install", "--no-git"];

interface Manifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const readManifest = (path: string): Manifest => JSON.parse(read(path)) as Manifest;

describe("the command", () => {
  test("asks nothing without a terminal, and takes the first template", async () => {
    const { code, printed, failure, answered } = await call(["my-api", ...quick]);
    expect([code, failure, answered]).toEqual([0, "", 0]);
    expect(printed).toContain("template        minimal\n");
    expect(printed.endsWith("Next:\n  cd my-api\n  npm install\n  npm run dev\n")).toBe(true);
  });

  test("needs a name if it must not ask for one", async () => {
    const failure = "The name is missing. Give it, as in `npm create sallyport@latest my-api`.\n";
    expect(await call([])).toMatchObject({ code: 2, printed: "", failure });
    expect(await call(["--no-git"], { typed: ["x"] })).toMatchObject({ code: 2, answered: 0 });
  });

  test("asks nothing at a terminal if an option is given", async () => {
    const { code, answered } = await call(["my-api", ...quick], { typed: ["express"] });
    expect([code, answered]).toEqual([0, 0]);
    expect(readdirSync(join(folder, "my-api/src"))).toContain("greet.ts");
  });

  test("asks for the name and the template at a terminal, again after a wrong one", async () => {
    const typed = ["orders", "expres", "express"];
    const { printed, answered } = await call([], { typed, environment: offline });
    expect(answered).toBe(3);
    expect(printed).toContain("Did you mean `express`?");
    expect(readManifest("orders/package.json").name).toBe("orders");
    expect(read("orders/src/mount-api.ts")).toContain("attachRouting");
  });

  test("creates nothing if the input ends before the last answer", async () => {
    const { code, failure, answered } = await call([], { typed: ["orders"] });
    expect([code, answered]).toEqual([2, 2]);
    expect(failure).toContain("The input has ended. Give what is asked for");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("keeps the project if the packages cannot be installed, and says what to run", async () => {
    const { code, printed, failure } = await call(["my api", "--json"], { environment: offline });
    expect(code).toBe(1);
    expect(failure).toBe(
      "`npm install` has failed. The project is complete but for its packages: run `cd 'my api' && npm install`.\n",
    );
    expect(JSON.parse(printed)).toMatchObject({ name: "my-api", installed: false });
    expect(readdirSync(join(folder, "my api"))).toContain("package.json");
  });

  test("runs git init, unless the folder is in a repository", async () => {
    expect(JSON.parse((await call(["one", "--no-install", "--json"])).printed)).toMatchObject({
      git: true,
    });
    expect(readdirSync(join(folder, "one"))).toContain(".git");
    const inside = await call(["one/two", "--no-install", "--json"]);
    expect(JSON.parse(inside.printed)).toMatchObject({ git: false });
    expect(readdirSync(join(folder, "one/two"))).not.toContain(".git");
  });

  test("prints what it has chosen as JSON, and nothing else", async () => {
    const environment = { npm_config_user_agent: "pnpm/10.5.2 npm/? node/v24.1.0 linux x64" };
    const args = ["My Shop", "--template", "fullstack", "--json", ...quick];
    const { code, printed } = await call(args, { environment });
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      name: "my-shop",
      folder: join(folder, "My Shop"),
      template: "fullstack",
      host: "node",
      packageManager: "pnpm",
      git: false,
      installed: false,
      next: ["cd 'My Shop'", "pnpm install", "pnpm run dev"],
    });
  });

  test("prints its version and its help", async () => {
    expect((await call(["--version"])).printed).toBe(`${version}\n`);
    expect((await call(["-h", "my-api"])).printed).toContain("Options:\n");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("refuses a folder that is not empty, and leaves it as it is", async () => {
    mkdirSync(join(folder, "my-api"));
    writeFileSync(join(folder, "my-api/notes.txt"), "");
    expect(await call(["my-api", ...quick])).toMatchObject({
      code: 1,
      failure:
        "The folder my-api is not empty: it contains notes.txt. Give another name, or move its content away.\n",
    });
    expect(readdirSync(join(folder, "my-api"))).toEqual(["notes.txt"]);
  });

  test("refuses a file of that name", async () => {
    writeFileSync(join(folder, "my-api"), "");
    const { code, failure } = await call(["my-api", ...quick]);
    expect([code, failure]).toEqual([1, "my-api is a file. Give another name.\n"]);
  });

  test.each(["file/x", `${"x".repeat(300)}/y`])(
    "says in one line why the system cannot create %s",
    async (path) => {
      writeFileSync(join(folder, "file"), "");
      const { code, printed, failure } = await call([path, ...quick]);
      expect([code, printed]).toEqual([1, ""]);
      expect(failure).toMatch(
        /^The project cannot be created: (?:ENOTDIR|ENAMETOOLONG): .+\. Give another folder, or correct the cause\.\n$/,
      );
    },
  );

  test.each(["a&b", "$HOME", "it's", "a;b", "~a", "(a)", "#a", "é/plain_1"])(
    "prints a step to %s that a shell takes as it is",
    async (path) => {
      const { printed } = await call([path, "--json", ...quick]);
      const { next } = JSON.parse(printed) as { readonly next: readonly [string] };
      const shown = execFileSync("sh", ["-c", `${next[0]} && pwd`], { cwd: folder });
      expect(String(shown)).toBe(`${join(folder, path)}\n`);
    },
  );

  test("uses an empty folder and a new repository", async () => {
    mkdirSync(join(folder, ".git"));
    const { code, printed } = await call([".", ...quick]);
    expect(code).toBe(0);
    expect(printed).toContain("Next:\n  npm install\n  npm run dev\n");
    expect(readdirSync(folder)).toContain("package.json");
  });

  test("uses a folder with what is there before a project, and keeps all of it", async () => {
    const known = {
      ".DS_Store": "a",
      "Thumbs.db": "b",
      "shop.iml": "c",
      LICENSE: "d",
      ".gitattributes": "e",
      ".gitignore": "*.tmp\r\nnode_modules/\r\n.env",
    };
    for (const [name, text] of Object.entries(known)) writeFileSync(join(folder, name), text);
    for (const name of [".git", ".idea", ".vscode"]) mkdirSync(join(folder, name));
    expect(await call([".", ...quick])).toMatchObject({ code: 0, failure: "" });
    for (const [name, text] of Object.entries(known))
      expect(read(name).startsWith(text)).toBe(true);
    expect(read(".gitignore")).toBe(
      `${known[".gitignore"]}\ndist/\ndata/\ncoverage/\n*.log\n*.tsbuildinfo\n`,
    );
  });

  test.each(["README.md", "package.json", ".github", "git", "src"])(
    "refuses a folder that has %s",
    async (name) => {
      mkdirSync(join(folder, name));
      const { code, failure } = await call([".", ...quick]);
      expect([code, failure]).toEqual([1, expect.stringContaining(`it contains ${name}.`)]);
      expect(readdirSync(folder)).toEqual([name]);
    },
  );

  test.each(["--template vue", "--tempalte express", "--install maybe"])(
    "creates nothing with %s",
    async (args) => {
      expect(await call(["my-api", ...args.split(" ")])).toMatchObject({ code: 2, printed: "" });
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

test("the versions are those of sallyport, and of the packages that it is tested with", () => {
  const readPackage = (path: string) =>
    JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as Manifest & {
      readonly version: string;
    };
  const repository = readPackage("../../../package.json");
  expect(version).toBe(repository.version);
  const used = readPackage("../templates/package.json").devDependencies;
  const tested = Object.entries(repository.devDependencies).filter(([name]) => name in used);
  expect(tested.length).toBeGreaterThan(5);
  expect(used).toMatchObject(Object.fromEntries(tested));
});

describe.each(templateNames)("the template %s", (template) => {
  const create = (userAgent: string) =>
    call(["shop", "--template", template, ...quick], {
      environment: { npm_config_user_agent: userAgent },
    });

  const readAll = (): readonly (readonly [string, string])[] =>
    readdirSync(join(folder, "shop"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")]);

  test("has a version of each package, and its own of sallyport", async () => {
    await create("npm/11.3.0");
    const { name, dependencies, devDependencies } = readManifest("shop/package.json");
    expect([name, dependencies["sallyport"]]).toEqual(["shop", `^${version}`]);
    const ranges = Object.values({ ...dependencies, ...devDependencies });
    expect(ranges.filter((range) => !/^\^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  test("has the documentation page in production, too", async () => {
    await create("npm/11.3.0");
    expect(readManifest("shop/package.json").dependencies).toHaveProperty(["swagger-ui-dist"]);
  });

  test("does not contain the placeholder of its name", async () => {
    await create("npm/11.3.0");
    expect(readAll().filter(([, content]) => content.includes("my-api"))).toEqual([]);
  });

  test.each(["pnpm/10.5.2 npm/?", "yarn/1.22.22 npm/?", "yarn/4.9.1 npm/?", "bun/1.2.3 npm/?"])(
    "has no command of npm with %s, except those that install the package manager",
    async (userAgent) => {
      await create(userAgent);
      const found = readAll().flatMap(([name, content]) =>
        [...content.matchAll(/\b(?:npx|npm (?!install --global|or a shell)\S+|package-lock)/g)].map(
          ([command]) => [name, command],
        ),
      );
      expect(found).toEqual([]);
    },
  );

  test("names the scripts that it has", async () => {
    await create("npm/11.3.0");
    const { scripts } = readManifest("shop/package.json");
    const named = readAll().flatMap(([, content]) =>
      [...content.matchAll(/npm (?:run )?(start|test|dev|build|check)\b/g)].map(([, one]) => one),
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((one) => !Object.hasOwn(scripts, one ?? ""))).toEqual([]);
  });

  test.each([
    ["npm/11.3.0", "ci"],
    ["pnpm/10.5.2 npm/?", "--frozen-lockfile"],
    ["yarn/4.9.1 npm/?", "--immutable"],
  ])("has a valid Dockerfile and workflow with %s", async (userAgent, installed) => {
    await create(userAgent);
    expect(validate(read("shop/Dockerfile"))).toEqual([]);
    const { jobs } = parse(read("shop/.github/workflows/ci.yml")) as {
      readonly jobs: { readonly check: { readonly steps: readonly { readonly run?: string }[] } };
    };
    const commands = jobs.check.steps.flatMap((step) => step.run ?? []);
    const ends = commands.map((command) => command.split(" ").at(-1));
    expect(ends).toEqual([installed, "check", "test", "build"]);
  });
});
