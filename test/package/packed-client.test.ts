import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultEndpointsFactory as factory } from "sallyport";
import { generateClient } from "sallyport/generate-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { compiler, root } from "../compiler/compile.ts";
import { pack, run } from "./pack.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-client-alone-"));
  const tarball = pack(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  run("npm", ["install", ...options, tarball], folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const evaluate = (code: string) =>
  spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd: folder,
    encoding: "utf8",
  });

describe("the package, installed without its peers,", () => {
  test("brings neither Express nor Zod", () => {
    const names = readdirSync(join(folder, "node_modules"));
    expect(names).toContain("sallyport");
    expect(names.filter((name) => ["express", "zod"].includes(name))).toEqual([]);
  });

  test("has a client that works", () => {
    const { stdout, stderr } = evaluate(`
      import { createClient } from "sallyport/client";
      import "sallyport/tanstack-query";
      const fetch = async () => Response.json({ a: 1 });
      const client = createClient({ baseUrl: "http://localhost", fetch });
      console.log(JSON.stringify(await client.provide("get /a")));
    `);
    expect([stdout, stderr]).toEqual(['{"a":1}\n', ""]);
  });

  test("has a client that type-checks with a file of types", () => {
    const users = factory.build({
      input: z.object({ id: z.string() }),
      output: z.object({ name: z.string() }),
      handler: async () => ({ name: "Ada" }),
    });
    writeFileSync(join(folder, "api.d.ts"), generateClient({ routing: { users }, types: true }));
    writeFileSync(
      join(folder, "page.ts"),
      `import { createClient } from "sallyport/client";
      import type { routing } from "./api.d.ts";
      const client = createClient<typeof routing>({ baseUrl: "" });
      const body = await client.provide("get /users", { id: "1" });
      if (body.status === "success") body.data.name satisfies string;
      if (body.status === "success") body.data.name satisfies number;
      export {};`,
    );
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--types", ""];
    const target = ["--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom"];
    const args = [compiler, "--pretty", "false", ...options, ...target, "page.ts"];
    expect(spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" }).stdout).toBe(
      "page.ts(6,53): error TS1360: Type 'string' does not satisfy the expected type 'number'.\n",
    );
  });

  test("names the package that an API lacks", () => {
    const create = `
      const { createServer } = await import("sallyport");
      await createServer({ cors: false }, {}).catch(({ code, message }) => console.log(code, message));
    `;
    expect(evaluate(create).stderr).toContain("Cannot find package 'zod'");
    cpSync(join(root, "node_modules/zod"), join(folder, "node_modules/zod"), { recursive: true });
    expect(evaluate(create).stdout).toBe(
      "SLP_CONFIG_PEER A server needs the package express, which is not installed. Run: npm install express.\n",
    );
  });
});
