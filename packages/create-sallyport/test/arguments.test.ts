import { describe, expect, test } from "vitest";
import { checkSwallowed, options, parseArguments } from "../src/arguments.ts";
import { help } from "../src/help.ts";
import { defaultHost, hostNames } from "../src/hosts.ts";
import { templateNames } from "../src/templates.ts";

const common = { install: true, git: true, json: false, help: false, version: false };

describe("the arguments", () => {
  test("have defaults", () => {
    const unset = { project: undefined, template: undefined, host: defaultHost };
    const expected = { ...common, ...unset, hasOptions: false };
    expect(parseArguments([])).toEqual(expected);
    expect(parseArguments(["my-api"])).toEqual({ ...expected, project: "my-api" });
  });

  test.each([["--template", "express"], ["-t", "express"], ["--template=express"]])(
    "name a template by %s %s",
    (...args: readonly string[]) => {
      expect(parseArguments(["my-api", ...args.filter(Boolean)])).toMatchObject({
        ...{ project: "my-api", template: "express", hasOptions: true },
      });
    },
  );

  test("name a host", () => {
    expect(parseArguments(["my-api", "--host", "bun"]).host.run).toBe("bun");
  });

  test.each([
    ["--install false", { install: false }],
    ["--install=false", { install: false }],
    ["--no-install", { install: false }],
    ["--install", { install: true }],
    ["--install true", { install: true }],
    ["--git false", { git: false }],
    ["--no-git", { git: false }],
    ["--json", { json: true }],
    ["-h", { help: true }],
    ["--version", { version: true }],
  ])("understand %s", (args, expected) => {
    expect(parseArguments(args.split(" "))).toMatchObject({
      ...{ ...common, ...expected, hasOptions: true },
    });
  });

  test.each([
    ["--tempalte minimal", "There is no option `--tempalte`. Did you mean `--template`?"],
    ["--yes", "There is no option `--yes`. The options are --template, --host, --install, "],
    ["-x", "There is no option `-x`. The options are --template"],
    ["--template fulstack", "There is no template `fulstack`. Did you mean `fullstack`?"],
    [
      "--template vue",
      "There is no template `vue`. The templates are minimal, express, fullstack.",
    ],
    ["--template", "--template needs a value, as in `--template minimal`."],
    ["--template --json", "--template needs a value"],
    ["--template=", "--template needs a value"],
    ["--install no", "--install must be true or false; got no."],
    ["--git=1", "--git must be true or false; got 1."],
    ["--no-install=false", "--no-install takes no value; got false."],
    ["--json=false", "--json takes no value; got false. Write --json alone."],
    ["my api", "One name is taken; got my api. Put a name with spaces in quotes."],
  ])("refuse %s", (args, message) => {
    expect(() => parseArguments(args.split(" "))).toThrow(message);
    expect(() => parseArguments(args.split(" "))).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test("are refused if npm has kept the template for itself", () => {
    const environment = { npm_config_template: "express" };
    const check = (...args: readonly string[]) => checkSwallowed(parseArguments(args), environment);
    expect(() => check("my-api")).toThrow("Put `--` before the options");
    expect(() => check("my-api", "--template", "express")).not.toThrow();
    const withHost = { npm_config_host: "bun" };
    expect(() => checkSwallowed(parseArguments(["my-api"]), withHost)).toThrow(
      "npm has kept --host for itself.",
    );
  });
});

test("the help names every option, every template and every host", () => {
  for (const name of Object.keys(options)) expect(help).toContain(`--${name}`);
  for (const name of templateNames) expect(help).toContain(`  ${name} `);
  expect(help).toContain(`Hosts: ${hostNames.join(", ")}.`);
});
