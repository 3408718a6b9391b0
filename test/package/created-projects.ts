// Creates a project from each template of `create-sallyport`, as packed for npm, and runs its scripts.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { templateNames, type Template } from "../../packages/create-sallyport/src/templates.ts";
import { findPort, root } from "./guide.ts";
import { pack, run } from "./pack.ts";

/** What to ask each project, and what it answers. */
const requests: Readonly<Record<Template, { path: string; token?: string; data: object }>> = {
  minimal: { path: "/v1/greetings/fr?name=Ada", data: { greeting: "Bonjour, Ada!" } },
  express: {
    ...{ path: "/v1/tasks/1", token: "secret" },
    data: { id: 1, title: "Write the first endpoint" },
  },
  fullstack: { path: "/v1/notes", data: { notes: [] } },
};

/** Compiles and packs a copy of `create-sallyport`. */
const packCreate = (folder: string): string => {
  const copy = join(folder, "create-sallyport");
  const home = join(root, "packages/create-sallyport");
  for (const name of ["package.json", "templates"])
    cpSync(join(home, name), join(copy, name), { recursive: true });
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const config = join(home, "tsconfig.build.json");
  run(process.execPath, [compiler, "-p", config, "--outDir", join(copy, "dist")], root);
  const [name = ""] = run("npm", ["pack", "--loglevel=error"], copy).trim().split("\n");
  return join(copy, name);
};

/** Runs a script of a project until `use` has ended, which can read what the script prints. */
const withScript = async (
  [script, cwd]: readonly [script: string, cwd: string],
  env: NodeJS.ProcessEnv,
  use: (read: () => string) => Promise<void>,
): Promise<void> => {
  // in a group of its own, because npm starts a shell, which starts the server
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn("npm", ["run", script], { cwd, env, stdio: [...stdio], detached: true });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  // when everything that has the pipes has ended
  const closed = new Promise((resolve) => child.once("close", resolve));
  try {
    await use(() => printed);
  } catch (error) {
    throw new Error(`npm run ${script} printed:\n${printed}`, { cause: error });
  } finally {
    process.kill(-(child.pid ?? 0), "SIGTERM");
    await closed;
  }
};

/** Sends requests until one is answered. */
const ask = async (url: string, token = ""): Promise<Response> => {
  const headers = { authorization: `Bearer ${token}` };
  let response: Response | undefined;
  const send = async () => (response = await fetch(url, { headers }).catch(() => undefined));
  await expect.poll(send, { timeout: 60_000 }).toBeDefined();
  return response as Response;
};

/** Declares the tests of the projects on the Node.js at the given path; `look` opens the page of a project, if it has one. */
export const describeCreatedProjects = (
  findNode: () => string,
  look?: (url: string) => Promise<void>,
): void => {
  let folder = "";
  let tarballs: Readonly<Record<"create" | "sallyport", string>>;
  let env: NodeJS.ProcessEnv = {};
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "sallyport-create-"));
    tarballs = { create: packCreate(folder), sallyport: pack(folder) };
    const { NODE_ENV: _mode, VITEST: _vitest, ...own } = process.env;
    // npm and what it runs take the first Node.js of the path
    const path = `${dirname(findNode())}${delimiter}${own["PATH"]}`;
    env = { ...own, PATH: path, NO_COLOR: "1", FORCE_COLOR: "0" };
  }, 900_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(templateNames)("a project from the template %s", (template) => {
    const name = `my-${template}`;
    const { path, token, data } = requests[template];
    let project = "";
    const npm = (...args: readonly string[]): string => run("npm", args, project, env);

    beforeAll(() => {
      const command = ["create-sallyport", name, "--template", template, "--no-install", "--json"];
      const args = ["exec", "--yes", `--package=${tarballs.create}`, "--", ...command];
      const printed = JSON.parse(run("npm", args, folder, env)) as object;
      project = join(folder, name);
      expect(printed).toMatchObject({ name, template, packageManager: "npm", installed: false });
      const file = join(project, "package.json");
      const manifest = JSON.parse(readFileSync(file, "utf8")) as { dependencies: object };
      const dependencies = { ...manifest.dependencies, sallyport: `file:${tarballs.sallyport}` };
      writeFileSync(file, JSON.stringify({ ...manifest, dependencies }));
      npm("install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline");
    }, 900_000);

    test("runs on the Node.js that is tested", () => {
      const expected = run(findNode(), ["--version"], folder);
      expect(npm("exec", "--call", "node --version")).toBe(expected);
    });

    test("has the files that npm leaves out of packages", () => {
      expect(readFileSync(join(project, ".gitignore"), "utf8")).toContain("node_modules/\n");
      expect(existsSync(join(project, "_gitignore"))).toBe(false);
      expect(existsSync(join(project, ".env.example"))).toBe(true);
      expect(existsSync(join(project, ".github/workflows/ci.yml"))).toBe(true);
    });

    test("has types without errors, and finds those that are made", () => {
      npm("run", "check");
      const file = join(project, "src/main.ts");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, `${text}export const wrong: string = 1;\n`);
      expect(() => npm("run", "check")).toThrow("TS2322");
      writeFileSync(file, text);
    });

    test("passes its tests", () => {
      expect(npm("test")).toMatch(/Tests +\d+ passed/);
    });

    test("lists its routes", () => {
      expect(npm("exec", "sallyport", "routes")).toContain("/v1/");
    });

    test("answers while it is developed, with its documentation", async () => {
      const port = await findPort();
      await withScript(["dev", project], { ...env, PORT: port }, async (read) => {
        const response = await ask(`http://localhost:${port}${path}`, token);
        expect(await response.json()).toEqual({ status: "success", data });
        expect((await ask(`http://localhost:${port}/docs`)).status).toBe(200);
        if (template !== "fullstack") return;
        const toUrl = () => /Local: +(http:\S+?)\/?\s/.exec(read())?.[1];
        await expect.poll(toUrl, { timeout: 60_000 }).toBeDefined();
        expect(await (await ask(`${toUrl()}/`)).text()).toContain(`<title>${name}</title>`);
        expect(await (await ask(`${toUrl()}${path}`)).json()).toEqual({ status: "success", data });
      });
    });

    test("answers in production, without what only development needs", async () => {
      const edit = (file: string, from: string, to: string): void => {
        const path = join(project, file);
        writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
      };
      edit("src/environment.ts", "PORT:", "SECRET: z.string(), PORT:");
      edit("src/api.ts", "docs: {", "docs: { production: true,");
      // an image is built without the settings of the server
      npm("run", "build");
      npm("prune", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error");
      const port = await findPort();
      const production = { ...env, PORT: port, NODE_ENV: "production", SECRET: "x" };
      await withScript(["start", project], production, async () => {
        const response = await ask(`http://localhost:${port}${path}`, token);
        expect(await response.json()).toEqual({ status: "success", data });
        expect((await ask(`http://localhost:${port}/livez`)).status).toBe(200);
        expect((await ask(`http://localhost:${port}/docs`)).status).toBe(200);
        if (template !== "fullstack") return;
        const page = await ask(`http://localhost:${port}/`);
        expect(await page.text()).toContain(`<title>${name}</title>`);
        await look?.(`http://localhost:${port}/`);
      });
    });
  });
};
