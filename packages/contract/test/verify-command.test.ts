import { readFileSync } from "node:fs";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { useFolder } from "./project-folder.ts";
import { runCommand } from "./run-command.ts";
import { notesDocument, startNotes } from "./verify-express.ts";

const { at, write, install, start } = useFolder();
beforeEach(install);

const run = (...args: readonly string[]) => start("verify", ...args);

const api = `
  import { defaultEndpointsFactory } from "sallyport";
  import { z } from "zod";
  const readUser = defaultEndpointsFactory.build({
    input: z.object({ id: z.string().regex(/^u\\d$/) }),
    output: z.object({ name: z.string() }),
    errors: { 404: "There is no such user" },
    handler: ({ input, errors }) => {
      if (input.id !== "u7") throw errors[404]();
      return { name: "Ada" };
    },
  });
  export const routing = { users: { ":id": readUser } };
  export const config = { cors: false };
`;
const options = `
  const id: string = "u7";
  export default { fixtures: { "/users/:id": () => ({ id }) } };
`;

test("the command finds the entry as the others do, and exits with 0, 1 and 2", () => {
  write("src/routing.js", api);
  write("options.ts", options);
  const passed = run("--with", "options.ts", "--format=json", "--out", "report.json");
  expect([passed.status, passed.stderr]).toEqual([0, ""]);
  const report: unknown = JSON.parse(readFileSync(at("report.json"), "utf8"));
  expect(report).toMatchObject({ ok: true, failures: [] });
  const failed = run("--seed", "1");
  expect(failed.status).toBe(1);
  expect(failed.stdout).toContain("get /users/:id: positive_answer");
  const misused = run("--format=xml");
  expect([misused.status, misused.stderr]).toEqual([
    2,
    "sallyport: --format must be one of text, json, junit; got xml.\n",
  ]);
  expect(run("missing.ts").stderr).toContain("There is no file missing.ts.");
  expect(run("--with", "none.ts").stderr).toContain("There is no file none.ts.");
});

test("the command refuses an entry that starts a server", () => {
  write(
    "api.js",
    `${api}
    import { createServer } from "sallyport";
    await createServer({ ...config, http: { listen: 0 } }, routing);`,
  );
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toMatch(/api\.js starts a server, or imports a module that does\./);
});

test("the command names a package.json that cannot be parsed", () => {
  write("package.json", '{ "type": "module", }');
  const { status, stderr } = run();
  expect(status).toBe(1);
  expect(stderr).toMatch(/@sallyport\/contract cannot be found: Error parsing .*package\.json/);
  expect(stderr).not.toContain("npm install");
});

test("the command verifies one operation of a server by its document", async () => {
  const { url, close } = await startNotes(() => undefined);
  onTestFinished(close);
  write("openapi.yaml", notesDocument);
  write("login.mjs", 'export default { login: { token: () => "secret" } };');
  const document = ["--document", at("openapi.yaml"), "--url", url];
  const one = [...document, "--operation", "GET /notes", "--runs", "0"];
  const passed = await runCommand("verify", ...one, "--with", at("login.mjs"));
  expect(passed.err).toBe("");
  expect(passed.code === 0 ? "ok" : passed.out).toBe("ok");
  expect(passed.out).toContain("No failures; operations: 1;");
  const failed = await runCommand("verify", ...one);
  expect(failed.code).toBe(1);
  expect(failed.out).toContain("Add login: { token: … }");
  const unknown = await runCommand("verify", ...document, "--operation", "get /note");
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain("there is no get /note. Did you mean get /notes");
});

test.for([
  [["--document", "a.yaml"], "--document and --url belong together", 2],
  [["--url", "http://127.0.0.1"], "--document and --url belong together", 2],
  [["--document", "a.yaml", "--url", "http://a", "api.ts"], "in place of an entry; got api.ts", 2],
  [["--allow-host", "a"], "--allow-host is for --url", 2],
] as const)("the command rejects %s", async ([args, message, code]) => {
  const { err, ...rest } = await runCommand("verify", ...args);
  expect(rest).toEqual({ code, out: "" });
  expect(err).toContain(message);
});
