import { beforeAll, describe } from "vitest";
import { describeCreatedProjects } from "../package/created-projects.ts";
import { ensureBuilt } from "./harness.ts";
import { ensureNodes } from "./node-versions.ts";

beforeAll(() => ensureBuilt());

describe("on Node.js 24", () => {
  describeCreatedProjects(() => ensureNodes().get("24") as string);
});
