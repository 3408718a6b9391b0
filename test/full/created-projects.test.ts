import { beforeAll, describe } from "vitest";
import { describeCreatedProjects } from "../package/created-projects.ts";
import { ensureBuilt } from "./harness.ts";
import { ensureNode } from "./node-versions.ts";

beforeAll(() => ensureBuilt());

describe("on Node.js 24", () => {
  describeCreatedProjects(() => ensureNode("24"));
});
