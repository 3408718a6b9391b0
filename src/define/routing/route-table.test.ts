import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RoutingError } from "../../basics/errors.ts";
import { RouteTable } from "./route-table.ts";

const tableOf = (...paths: readonly string[]): RouteTable<string> => {
  const table = new RouteTable<string>();
  for (const path of paths) table.add("get", path, path);
  return table;
};

const find = (table: RouteTable<string>, path: string): unknown => {
  const found = table.find("get", path);
  return found && [found.target, { ...found.params }];
};

describe("RouteTable", () => {
  test("prefers a literal to a parameter, and a parameter to a wildcard", () => {
    const table = tableOf("/:id", "/me", "/*rest", "/a/b/c");
    expect(find(table, "/me")).toEqual(["/me", {}]);
    expect(find(table, "/you")).toEqual(["/:id", { id: "you" }]);
    expect(find(table, "/a/b")).toEqual(["/*rest", { rest: ["a", "b"] }]);
  });

  test("backtracks if a literal leads nowhere", () => {
    const table = tableOf("/a/x", "/:p/:q/z");
    expect(find(table, "/a/x/z")).toEqual(["/:p/:q/z", { p: "a", q: "x" }]);
    expect(find(table, "/a/y")).toBeUndefined();
  });

  test("prefers the parameter with more literal characters around it", () => {
    const table = tableOf("/:all", "/:from-:to", "/v:version");
    expect(find(table, "/a-b")).toEqual(["/:from-:to", { from: "a", to: "b" }]);
    expect(find(table, "/v2")).toEqual(["/v:version", { version: "2" }]);
    expect(find(table, "/v")).toEqual(["/:all", { all: "v" }]);
  });

  test("ignores the case of literals, but keeps that of parameters, if it is told so", () => {
    const table = new RouteTable<string>(false);
    for (const path of ["/Users/:id", "/v:major-Beta:minor/x", "/files/*rest"])
      table.add("get", path, path);
    expect(find(table, "/uSERS/AbC")).toEqual(["/Users/:id", { id: "AbC" }]);
    expect(find(table, "/V1A-bETA2B/X")).toEqual([
      "/v:major-Beta:minor/x",
      { major: "1A", minor: "2B" },
    ]);
    expect(find(table, "/FILES/A%2FB/C")).toEqual(["/files/*rest", { rest: ["A/B", "C"] }]);
    expect(table.findAll("/USERS/1")).toHaveLength(1);
    expect(() => table.add("get", "/users/:name", "")).toThrow("match the same paths");
    expect(find(tableOf("/Users"), "/users")).toBeUndefined();
  });

  test("lets the next-best match serve a method that the best match lacks", () => {
    const table = new RouteTable<string>();
    table.add("get", "/users/me", "me");
    table.add("patch", "/users/:id", "one");
    expect(table.find("patch", "/users/me")?.target).toBe("one");
    expect(table.findAll("/users/me").map(({ method }) => method)).toEqual(["get", "patch"]);
  });

  test("lists all methods of a path, the best matches first", () => {
    const table = new RouteTable<string>();
    const routes = [
      ["get", "/*rest"],
      ["post", "/:all"],
      ["put", "/:from-:to"],
      ["patch", "/v:from-:to"],
      ["delete", "/v1-2"],
    ] as const;
    for (const [method, path] of routes) table.add(method, path, path);
    const found = table.findAll("/v1-2").map(({ method }) => method);
    expect(found).toEqual(["delete", "patch", "put", "post", "get"]);
  });

  test("never matches an empty segment", () => {
    const table = tableOf("/:a", "/:a/:b", "/", "/*rest");
    expect(find(table, "//")).toBeUndefined();
    expect(find(table, "//a")).toBeUndefined();
    expect(find(table, "/a//")).toBeUndefined();
    expect(find(table, "/")).toEqual(["/", {}]);
  });

  test("decodes each segment once, and keeps an encoded slash inside its segment", () => {
    const table = tableOf("/:id", "/caf%C3%A9/x", "/a b");
    expect(find(table, "/a%2Fb")).toEqual(["/:id", { id: "a/b" }]);
    expect(find(table, "/%2541")).toEqual(["/:id", { id: "%41" }]);
    expect(find(table, "/caf%c3%a9/x")).toEqual(["/caf%C3%A9/x", {}]);
    expect(find(table, "/a%20b")).toEqual(["/a b", {}]);
    expect(() => find(table, "/%zz")).toThrow("Malformed path");
  });

  test("decodes a parameter to the value that was encoded, for any value", () => {
    const table = tableOf("/x/:one/:two");
    const value = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(value, value, (one, two) => {
        const path = `/x/${encodeURIComponent(one)}/${encodeURIComponent(two)}`;
        expect(find(table, path)).toEqual(["/x/:one/:two", { one, two }]);
      }),
    );
  });

  test("distinguishes an encoded colon from a parameter", () => {
    const table = tableOf("/:a%3A:b", "/%3A:a%3A");
    expect(find(table, "/x:y")).toEqual(["/:a%3A:b", { a: "x", b: "y" }]);
    expect(find(table, "/:x:")).toEqual(["/%3A:a%3A", { a: "x" }]);
  });

  test.each([
    [["/a", "/a"], "declared twice"],
    [["/:id", "/:slug"], "match the same paths"],
    [["/x/:a-:b", "/x/:c-:d"], "match the same paths"],
  ])("rejects %j", (paths, message) => {
    expect(() => tableOf(...paths)).toThrow(message);
    expect(() => tableOf(...paths)).toThrow(RoutingError);
  });

  test("gives each parameter its own value, whatever precedes it", () => {
    const path = "/:a/:b-:c/x/:d.:e/*f";
    expect(find(tableOf(path), "/1/2-3/x/4.5/6/7")).toEqual([
      path,
      { a: "1", b: "2", c: "3", d: "4", e: "5", f: ["6", "7"] },
    ]);
  });

  test.each([
    "/:id?",
    "/*",
    "/a/*rest/b",
    "/a*rest",
    "/*rest-a",
    "/:",
    "/a(b)",
    "/{a}",
    "/:a:b",
    "/:a/:a",
    "/%zz",
    "/:__proto__",
  ])("rejects the syntax of %s", (path) => {
    expect(() => tableOf(path)).toThrow(RoutingError);
  });

  // anything but linear time would exceed the test's timeout
  test("takes linear time for a long segment against several parameters", () => {
    const table = tableOf("/:a-:b.:c~:d");
    expect(find(table, `/${"-".repeat(1_000_000)}`)).toBeUndefined();
    expect(find(table, `/${"-.".repeat(500_000)}`)).toBeUndefined();
  });
});
