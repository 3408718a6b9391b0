import { expect, test } from "vitest";
import { toPackageManagers } from "../src/package-managers.ts";

const commandsOf = (text: string) =>
  Object.fromEntries(toPackageManagers(text).map(({ name, commands }) => [name, commands]));

test("packages are added by each package manager", () => {
  expect(commandsOf("npm install express zod\nnpm install -D typescript\n")).toEqual({
    npm: "npm install express zod\nnpm install -D typescript",
    pnpm: "pnpm add express zod\npnpm add -D typescript",
    yarn: "yarn add express zod\nyarn add -D typescript",
    bun: "bun add express zod\nbun add -d typescript",
  });
});

test("a project is created by each package manager, and only npm needs dashes before its options", () => {
  expect(
    commandsOf("npm create sallyport@latest my-api -- --json\ncd my-api\nnpm run dev"),
  ).toEqual({
    npm: "npm create sallyport@latest my-api -- --json\ncd my-api\nnpm run dev",
    pnpm: "pnpm create sallyport@latest my-api --json\ncd my-api\npnpm run dev",
    yarn: "yarn create sallyport my-api --json\ncd my-api\nyarn run dev",
    bun: "bun create sallyport@latest my-api --json\ncd my-api\nbun run dev",
  });
});

test("the packages of a project are installed by each package manager", () => {
  expect(commandsOf("npm install")).toMatchObject({ pnpm: "pnpm install", yarn: "yarn install" });
});

test.each(["npm init -y\nnpm install zod", "node server.ts", "npm pkg set type=module", "cd api"])(
  "%j stays as it is",
  (text) => {
    expect(toPackageManagers(text)).toEqual([]);
  },
);
