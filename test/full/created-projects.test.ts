import { afterAll, beforeAll, describe, expect } from "vitest";
import { describeCreatedProjects } from "../package/created-projects.ts";
import {
  closePages,
  ensureChromium,
  installationTime,
  isChromiumPossible,
  openPage,
  quitChromium,
} from "./chromium.ts";
import { findViolations } from "./find-violations.ts";
import { ensureBuilt } from "./harness.ts";
import { ensureNode } from "./node-versions.ts";

beforeAll(async () => {
  ensureBuilt();
  if (isChromiumPossible) await ensureChromium();
}, installationTime);
afterAll(quitChromium);

/** Uses the page of a project as people do, whatever their colours and their screens. */
const look = async (url: string): Promise<void> => {
  const page = await openPage(url);
  await page.getByText("There are no notes yet.").waitFor();
  await page.getByText("kept in the database of the API").waitFor();
  await page.getByLabel("New note").fill("Read the guide");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: "Remove Read the guide" }).waitFor();
  for (const [colorScheme, width] of [
    ["light", 1200],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    expect(await findViolations(page)).toEqual([]);
  }
  await closePages();
};

describe("on Node.js 24", () => {
  describeCreatedProjects(() => ensureNode("24"), isChromiumPossible ? look : undefined);
});
