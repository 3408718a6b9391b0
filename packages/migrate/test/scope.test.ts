import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { migrateProject, writeMigration } from "../src/express-zod-api/migrate-project.ts";
import { createDirectory, readText, removeDirectory, writeFiles } from "./compile.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const app = {
  "package.json": JSON.stringify({
    dependencies: { "express-zod-api": "^20.0.0", zod: "^3.23.0", "discord.js": "^14.0.0" },
  }),
  "tsconfig.json": JSON.stringify({ compilerOptions: { module: "nodenext" } }),
};

const migrate = (name: string, files: Readonly<Record<string, string>>) => {
  const path = join(directory, name);
  writeFiles(path, { ...app, ...files });
  writeMigration(migrateProject(path));
  return (file: string): string => readText(join(path, file));
};

test("files that do not reach express-zod-api stay as they are, although they have its names", () => {
  const others = {
    "src/bot.ts": `import { StringSelectMenuBuilder } from "discord.js";
export const menu = new StringSelectMenuBuilder().addOptions({ label: "One", value: "1" });
`,
    "src/queue.ts": `import { queue } from "./own-queue.js";
export const job = queue.build({ summary: "Sends", handler: ({ options }) => options.mail });
`,
    "src/own-queue.ts": `export declare const queue: { build: (job: object) => object };
`,
    "src/app.ts": `export const mount = (app: any) => app.addExpressMiddleware(() => undefined);
`,
    "src/colors.ts": `import { Proto } from "./proto.js";
import { z } from "zod";
declare namespace Own { const Enum: { RED: number } }
const { Color } = Proto;
const own = Proto.Color;
export const red = [Proto.Color.Enum.RED, own.Enum.RED, Own.Enum.RED, z.string(), Color];
`,
    "src/proto.ts": `export declare const Proto: any;
`,
    "src/paint.ts": `declare const palette: any;
export const red = palette.Enum.RED;
`,
  };
  const read = migrate("others", {
    ...others,
    "src/server.ts": `import { createConfig } from "express-zod-api";
import { job } from "./queue.js";
export const config = [createConfig({ cors: true }), job];
`,
  });
  for (const [file, text] of Object.entries(others)) expect(read(file)).toBe(text);
  expect(read("src/server.ts")).toContain('from "sallyport"');
});

test("files that reach express-zod-api or Zod through others are rewritten", () => {
  const read = migrate("through", {
    "tsconfig.json": JSON.stringify({
      compilerOptions: { module: "nodenext", paths: { "@/*": ["./src/*"] } },
    }),
    "src/factories.ts": `export { defaultEndpointsFactory as factory } from "express-zod-api";
`,
    "src/all.ts": `export * from "./factories.js";
import "./ping.js";
`,
    "src/ping.ts": `import { factory } from "./all.js";
export const ping = factory.build({ methods: ["get"], handler: async ({ options }) => options });
`,
    "src/pong.ts": `import { factory } from "@/all.js";
export const pong = factory.addOptions(async () => ({ a: 1 }));
`,
    "src/lazy.ts": `export const lazy = async () =>
  (await import("./all.js")).factory.addOptions(async () => ({ a: 1 }));
`,
    "src/role.ts": `import { z } from "zod";
export const role = z.nativeEnum({ admin: "admin" } as const);
export const name = z.string().example("Ada");
`,
    "src/admin.ts": `import { role } from "./role.js";
export const admin = role.Enum.admin;
`,
  });
  expect(read("src/ping.ts")).toContain('{ method: "get", handler: async ({ ctx }) => ctx }');
  expect(read("src/pong.ts")).toContain("factory.addContext(async");
  expect(read("src/lazy.ts")).toContain("factory.addContext(async");
  expect(read("src/role.ts")).toContain(`z.string().meta({ examples: ["Ada"] })`);
  expect(read("src/admin.ts")).toContain("role.enum.admin");
});
