import express from "express";
import { expect, test } from "vitest";
import { requestMembers, responseMembers } from "./express-app.ts";

// `query` has no placeholder, because the framework itself parses queries
test.each([
  ["requests", requestMembers, express.request, ["query"]],
  ["responses", responseMembers, express.response, []],
] as const)(
  "there is a placeholder for each member of Express' %s",
  (_of, members, own, except) => {
    const names = Object.getOwnPropertyNames(own).filter((name) => !except.includes(name as never));
    expect([...members].toSorted()).toEqual([...names, "app"].toSorted());
  },
);
