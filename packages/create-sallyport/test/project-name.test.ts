import { describe, expect, test } from "vitest";
import { toProjectName } from "../src/project-name.ts";

describe("a project's name", () => {
  test.each([
    ["my-api", "my-api", "my-api"],
    ["My API", "My API", "my-api"],
    ["Café Gérard", "Café Gérard", "cafe-gerard"],
    ["services/Orders", "services/Orders", "orders"],
    ["../other", "../other", "other"],
    [".", ".", "work"],
    ["_private.api", "_private.api", "private.api"],
    ["shop!", "shop!", "shop"],
    ["@acme/api", "api", "@acme/api"],
  ])("%s is the folder %s with the package %s", (given, folder, name) => {
    expect(toProjectName(given, "/home/ada/work")).toEqual({ folder, name });
  });

  test.each(["", " ", "???", "...", "日本", "node_modules", "favicon.ico", "a".repeat(215)])(
    "cannot be made of `%s`",
    (given) => {
      expect(() => toProjectName(given, "/")).toThrow(
        "cannot be made a package name. Give a name of at most 214 letters, digits and hyphens",
      );
    },
  );
});
