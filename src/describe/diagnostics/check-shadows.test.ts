import { describe, expect, test } from "vitest";
import { Operation } from "../api/operation.ts";
import { defaultEndpointsFactory } from "../../define/endpoint/endpoints-factory.ts";
import type { Routing } from "../../define/routing/routing.ts";
import { RouteTable } from "../../define/routing/route-table.ts";
import { ServeStatic } from "../../define/routing/static-files.ts";
import { walkRouting } from "../../define/routing/walk-routing.ts";
import { checkShadows } from "./check-shadows.ts";

const endpoint = defaultEndpointsFactory.build({ handler: () => ({}) });

const toOperations = (routing: Routing) =>
  walkRouting(routing).endpoints.map((entry) => new Operation(entry, {}));

const check = (...keys: readonly string[]) => {
  return checkShadows(toOperations(Object.fromEntries(keys.map((key) => [key, endpoint]))), []);
};

describe("routes", () => {
  test.each([
    [["/:a-:b", "/:a.:b"], "/x-x.x"],
    [["/:a.:b", "/:a-:b"], "/x.x-x"],
    [["/a/:x@", "/a/%40:x/"], "/a/%40x%40"],
    [["/a:x/c", "/:x-/:y"], "/ax-/c"],
    [["/:x.y:z", "/:x-p:z"], "/x.yx-px"],
  ])("routes %j: warns that only their order decides which one is used", (keys, example) => {
    const [warning, ...others] = check(...keys);
    expect(others).toEqual([]);
    expect(warning?.code).toBe("SLP_WARN_ROUTE_ORDER");
    // the example goes to whichever route comes first
    const toFound = (order: readonly string[]) => {
      const table = new RouteTable<string>();
      for (const key of order) table.add("get", key, key);
      return table.find("get", example)?.target;
    };
    expect([toFound(keys), toFound(keys.toReversed())]).toEqual([keys[0], keys[1]]);
    expect(warning?.meta).toMatchObject({ takenBy: keys[0]?.replace(/\/$/, ""), example });
  });

  test.each([
    [["/a/:id", "/a/me"]],
    [["/a/:id", "/a/:from-:to"]],
    [["/:id/*rest", "/:x.:y/*all"]],
    [["/a/:id", "/a/*rest"]],
    [["/files/:name", "/files/:name.json"]],
    [["/:name.json", "/:name.html"]],
    [["/:name.json", "/:name.tar.json"]],
    [["/img-:id", "/pic-:id"]],
    [["/:year-:month", "/:year-:month-:day"]],
    [["/a/:id", "/a/range-:from-:to"]],
    [["/a/:id/x", "/a/:from-:to/y"]],
    [["/a/:id", "/a/:from-:to/y"]],
    [["/a/:id", "/b/:from-:to"]],
    [["get /a/:id", "post /a/:from-:to"]],
    [["/a/:id/*rest", "/a/:from-:to"]],
    [["/:a-:b/x", "/:a.:b/y"]],
    [["/v:major", "/v:major.:minor"]],
  ])("routes %j: does not warn", (keys) => {
    expect(check(...keys)).toEqual([]);
  });

  test("gives one warning for two methods on the same pair of routes", () => {
    expect(check("get /:a.:b", "post /:a.:b", "get /:x-:y", "post /:x-:y")).toHaveLength(1);
  });
});

describe("static files", () => {
  const files = new ServeStatic(".");
  const checkFiles = (mount: string, ...keys: readonly string[]) => {
    const map = Object.fromEntries(keys.map((key) => [key, endpoint]));
    return checkShadows(toOperations(map), walkRouting({ [mount]: files }).statics);
  };

  test.each([
    ["", "*path"],
    ["public", "*path"],
    ["public/images", "public/*path"],
    ["public/images", ":folder/images/*path"],
    ["public", "pub:rest/*path"],
  ])("warns that files at /%s are never served if there is a route /%s", (mount, key) => {
    const [warning] = checkFiles(mount, key);
    expect(warning?.code).toBe("SLP_WARN_FILES_SHADOWED");
    expect(warning?.meta).toMatchObject({ path: `/${key}`, files: `/${mount}` });
  });

  test.each([
    ["public", "api/*path"],
    ["public", "public/api/*path"],
    ["public", "post *path"],
    ["", ":slug"],
    ["public", "a:rest/*path"],
  ])("does not warn about files at /%s if there is a route %s", (mount, key) => {
    expect(checkFiles(mount, key)).toEqual([]);
  });
});
