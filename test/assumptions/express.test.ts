import express from "express";
import { requestMembers, responseMembers } from "../../src/server/express/placeholders.ts";
import { describe, expect, test } from "vitest";

describe("assumptions about Express", () => {
  test("a new application has an empty stack, and each `use` adds one layer", () => {
    const app = express();
    expect(app.router.stack).toHaveLength(0);
    app.use((_request, _response, next) => next());
    expect(app.router.stack).toHaveLength(1);
  });

  test("the prototypes of an application are directly above the shared ones", () => {
    const app = express();
    expect(Object.getPrototypeOf(app.request)).toBe(express.request);
    expect(Object.getPrototypeOf(app.response)).toBe(express.response);
    expect(Object.hasOwn(app, "response")).toBe(true);
    expect(Object.hasOwn(express.Router(), "response")).toBe(false);
  });

  test("the settings that change what `response.json` sends are unset, except for the ETag", () => {
    const { settings } = express() as unknown as { settings: Record<string, unknown> };
    expect(settings["etag fn"]).toBeTypeOf("function");
    for (const name of ["json escape", "json replacer", "json spaces"])
      expect(settings[name]).toBeUndefined();
  });

  test("the simple query parser is the default", () => {
    expect(express().get("query parser")).toBe("simple");
  });

  test("requests and responses have the members that are created on first use", () => {
    const app = express();
    const list = (own: object): string[] => [
      ...Object.getOwnPropertyNames(Object.getPrototypeOf(own)),
      ...Object.getOwnPropertyNames(own),
    ];
    // `query` is created again
    expect(list(app.request).toSorted()).toEqual([...requestMembers, "query"].toSorted());
    expect(list(app.response).toSorted()).toEqual([...responseMembers].toSorted());
  });
});
