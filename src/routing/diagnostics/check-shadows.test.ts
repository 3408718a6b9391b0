import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defaultEndpointsFactory } from "../../endpoint/endpoints-factory.ts";
import { RouteTable } from "../route-table.ts";
import { ServeStatic } from "../static-files.ts";
import { walkRouting, type EndpointEntry, type StaticEntry } from "../walk-routing.ts";
import { checkShadows } from "./check-shadows.ts";

const endpoint = defaultEndpointsFactory.build({ handler: () => ({}) });

const fail = (): never => {
  throw new Error("No function of the application may run");
};

const check = (...keys: readonly string[]) => {
  const entries = [...walkRouting(Object.fromEntries(keys.map((key) => [key, endpoint])))];
  return checkShadows(entries as EndpointEntry[], []);
};

describe("routes", () => {
  test.each([
    [["/a/:id", "/a/:from-:to"], "/a/x-x", "/a/:id"],
    [["/a/:from-:to", "/a/:id"], "/a/x-x", "/a/:id"],
    [["/a/:id/b", "/a/:x-:y/:z"], "/a/x-x/b", "/a/:id/b"],
    [["/:id/*rest", "/:x.:y/a/b"], "/x.x/a/b", "/:id/*rest"],
    [["/:id/*rest", "/:x.:y/*all"], "/x.x/x", "/:id/*rest"],
    [["/:id/v:n", "/:x.:y/:z-beta"], "/x.x/vx-beta", "/:id/v:n"],
  ])(
    "routes %j: warns that values with a separator go to the other route",
    (keys, example, path) => {
      const [warning, ...others] = check(...keys);
      expect(others).toEqual([]);
      expect(warning?.code).toBe("SLP_WARN_ROUTE_SHADOWED");
      expect(warning?.meta).toMatchObject({ method: "get", path, example });
      expect(warning?.text).toContain(`GET ${path} never receives paths such as ${example}`);
    },
  );

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

  test("gives another example if the first example goes to a third route", () => {
    const [warning] = check("/a/:id", "/a/:x-:y", "/a/x-x");
    expect(warning?.meta).toMatchObject({ path: "/a/:id", example: "/a/1-1" });
  });

  const checkId = (id: z.ZodType, other = "/a/:x-:y") => {
    const one = defaultEndpointsFactory.build({ input: z.object({ id }), handler: () => ({}) });
    const entries = [...walkRouting({ "/a/:id": one, [other]: endpoint })] as EndpointEntry[];
    return checkShadows(entries, []).map(({ meta }) => (meta as { example: string }).example);
  };

  test.each<[string, z.ZodType, string]>([
    ["a UUID", z.uuid(), "/a/3f2c8a52-9b1e-4d7a-8c35-1e0f6b7a9d24"],
    ["a date", z.iso.date(), "/a/2026-11-20"],
    ["an optional string", z.string().trim().optional(), "/a/x-x"],
    ["a string before a function", z.string().transform((text) => text.length), "/a/x-x"],
  ])("finds an example with the separator for %s", (_what, schema, example) => {
    expect(checkId(schema)).toEqual([example]);
  });

  test.each<[string, z.ZodType]>([
    ["a number", z.coerce.number()],
    ["digits", z.string().regex(/^\d+$/).transform(Number)],
    ["an enum", z.enum(["a", "b"])],
    ["a value that a function checks", z.string().refine(fail)],
    ["a value that a function makes", z.preprocess(fail, z.string())],
    ["a promise", z.promise(z.string())],
  ])("finds no example with the separator for %s", (_what, schema) => {
    expect(checkId(schema)).toEqual([]);
  });

  test("gives only examples that contain the separator and that the input accepts", () => {
    expect(checkId(z.coerce.number(), "/a/:x.:y")).toEqual(["/a/1.1"]);
    expect(checkId(z.email(), "/a/:x.:y")).toEqual(["/a/ada%40example.com"]);
    expect(checkId(z.coerce.number().int(), "/a/:x.:y")).toEqual([]);
  });

  test("gives one warning for two methods on the same pair of routes", () => {
    expect(check("get /:id", "post /:id", "get /:x-:y", "post /:x-:y")).toHaveLength(1);
  });
});

describe("static files", () => {
  const files = new ServeStatic(".");
  const checkFiles = (mount: string, ...keys: readonly string[]) => {
    const map = Object.fromEntries(keys.map((key) => [key, endpoint]));
    const entries = [...walkRouting(map)] as EndpointEntry[];
    return checkShadows(entries, [...walkRouting({ [mount]: files })] as StaticEntry[]);
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
