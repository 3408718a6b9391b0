import { describe, expect, test } from "vitest";
import { toPackageManager, translate } from "../src/package-managers.ts";

const system = "node/v24.1.0 linux x64";

describe("the package manager", () => {
  test.each([
    [`npm/11.3.0 ${system} workspaces/false`, "npm", "npm install", "npm run"],
    [`pnpm/10.5.2 npm/? ${system}`, "pnpm", "pnpm install", "pnpm run"],
    [`yarn/1.22.22 npm/? ${system}`, "yarn", "yarn install", "yarn run"],
    [`yarn/4.9.1 npm/? ${system}`, "yarn", "yarn install", "yarn run"],
    [`bun/1.2.3 npm/? ${system}`, "bun", "bun install", "bun run"],
    ["", "npm", "npm install", "npm run"],
    [`deno/2.9.6 npm/? deno/2.9.6 linux x86_64`, "deno", "deno install", "deno task"],
    ["unknown/2.1.0", "npm", "npm install", "npm run"],
  ])("%s is %s", (userAgent, name, install, run) => {
    expect(toPackageManager(userAgent)).toMatchObject({ name, install, run });
  });

  test("is npm if nothing tells it", () => {
    expect(toPackageManager(undefined).name).toBe("npm");
  });

  test("of yarn 2 and later keeps packages in node_modules, and the folders above out", () => {
    expect(toPackageManager("yarn/1.22.22 npm/?").files).toEqual({});
    expect(toPackageManager("yarn/4.9.1 npm/?").files).toEqual({
      ".yarnrc.yml": "nodeLinker: node-modules\n",
      "yarn.lock": "",
    });
  });
});

describe("the commands of npm in a template", () => {
  const text = [
    "RUN npm ci",
    "RUN npm ci --omit=dev",
    "npm install",
    "npm test, npm run dev, npm start",
    "npx sallyport routes",
    "COPY package-lock.json ./",
    "concurrently npm:dev:api",
    "with:\n  node-version: 24\n  cache: npm\n",
  ].join("\n");

  test("stay as they are for npm", () => {
    expect(translate(text, toPackageManager(`npm/11.3.0 ${system}`))).toBe(text);
  });

  test("become those of pnpm, in the version that was used", () => {
    expect(translate(text, toPackageManager(`pnpm/10.5.2 npm/? ${system}`)).split("\n")).toEqual([
      "RUN npm install --global --force pnpm@10.5.2 && pnpm install --frozen-lockfile",
      "RUN npm install --global --force pnpm@10.5.2 && pnpm install --frozen-lockfile --prod",
      "pnpm install",
      "pnpm run test, pnpm run dev, pnpm run start",
      "pnpm exec sallyport routes",
      "COPY pnpm-lock.yaml ./",
      "concurrently npm:dev:api",
      "with:",
      "  node-version: 24",
      "",
    ]);
  });

  test("become those of bun, whose `bun test` is another one", () => {
    const translated = translate(text, toPackageManager(`bun/1.2.3 npm/? ${system}`));
    expect(translated).toContain("bun run test, bun run dev");
    expect(translated).toContain("bunx sallyport routes");
  });

  test("become those of Deno, whose lock file `deno ci` keeps to", () => {
    const translated = translate(text, toPackageManager("deno/2.9.6 npm/? deno/2.9.6"));
    expect(translated).toContain("RUN npm install --global --force deno@2.9.6 && deno ci --prod\n");
    expect(translated).toContain("deno task test, deno task dev, deno task start");
    expect(translated).toContain("deno x sallyport routes");
    expect(translated).toContain("COPY deno.lock ./");
  });

  test("become those of yarn 4, whose settings images need", () => {
    const translated = translate(text, toPackageManager(`yarn/4.9.1 npm/? ${system}`));
    expect(translated).toContain("@yarnpkg/cli-dist@4.9.1 && yarn install --immutable");
    expect(translated).toContain("COPY yarn.lock .yarnrc.yml ./");
  });
});
