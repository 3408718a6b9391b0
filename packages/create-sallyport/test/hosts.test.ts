import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultHost, toHost, translateHost } from "../src/hosts.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../templates/${path}`, import.meta.url), "utf8");
const scriptsOf = (host: string): Readonly<Record<string, string>> => {
  const { scripts } = JSON.parse(translateHost(read("minimal/package.json"), toHost(host))) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return scripts;
};

test("a host that is not known is refused", () => {
  expect(() => toHost("dino")).toThrow(
    "There is no host `dino`. Did you mean `deno`? The hosts are node, bun, deno.",
  );
});

test("the scripts run the server on the host", () => {
  expect(scriptsOf("node")).toMatchObject({
    dev: "tsx watch --include .env src/main.ts",
    start: "node dist/main.js",
  });
  expect(scriptsOf("bun")).toMatchObject({
    dev: "bun --watch src/main.ts",
    start: "bun dist/main.js",
  });
  expect(scriptsOf("deno")).toMatchObject({
    dev: "deno run --watch=.env --allow-net --allow-env --allow-read --allow-write src/main.ts",
    start: "deno run --allow-net --allow-env --allow-read --allow-write dist/main.js",
  });
});

test.each(["shared", "fullstack"])("the image of %s is that of the host", (template) => {
  const text = read(`${template}/Dockerfile`);
  expect(translateHost(text, defaultHost)).toBe(text);
  const ofBun = translateHost(text, toHost("bun"));
  // npm installs the packages and builds
  expect(ofBun.match(/^FROM .*/gm)).toEqual([
    "FROM node:24-slim AS base",
    "FROM base AS build",
    "FROM base AS dependencies",
    "FROM oven/bun:1.4-slim",
  ]);
  expect(ofBun).toContain('CMD ["bun", "dist/main.js"]');
  expect(ofBun).toContain('CMD ["bun", "-e", "fetch(');
  expect(ofBun).toContain("USER bun\n");
  const ofDeno = translateHost(text, toHost("deno"));
  expect(ofDeno).toContain('CMD ["deno", "run", "--allow-net", ');
  expect(ofDeno).toContain('CMD ["deno", "eval", "fetch(');
  expect(ofDeno).not.toMatch(/node:node|USER node|"node"/);
});
