import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { exportedClasses, exportedTypes, readPart, writeParts } from "./runtime-source.ts";

const clientFolder = new URL("../client/", import.meta.url);

test("the build writes the same parts that are read from the source", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-parts-"));
  try {
    writeParts(clientFolder, pathToFileURL(`${folder}/`));
    expect(readdirSync(folder).toSorted()).toEqual(["revival.txt", "runtime.txt"]);
    for (const part of ["revival", "runtime"] as const)
      expect(readFileSync(join(folder, `${part}.txt`), "utf8")).toBe(readPart(part));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("keeps each module's source, without imports and exports", () => {
  const runtime = readPart("runtime");
  expect(runtime).not.toMatch(/^(?:import|export) /m);
  const [, body = ""] = /(export const hasMore: HasMore = [\s\S]*)$/.exec(
    readFileSync(new URL("pages.ts", clientFolder), "utf8"),
  ) ?? [""];
  expect(body).not.toBe("");
  expect(runtime).toContain(body.replaceAll("export const ", "const ").trim());
});

test("includes everything that a file exports", () => {
  const runtime = readPart("runtime");
  for (const name of exportedClasses) expect(runtime).toMatch(new RegExp(`class ${name}\\b`));
  for (const name of exportedTypes)
    expect(runtime).toMatch(new RegExp(`(?:interface|type) ${name}\\b`));
});

test("exports the same names as `sallyport/client`, except for those of the inferred client", () => {
  const index = readFileSync(new URL("index.ts", clientFolder), "utf8");
  const inferred = /\.\/(?:inferred-client|route-at|wire-types|generated-client)\.ts/;
  const names = [...index.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]*)"/g)].flatMap(
    ([, list = "", from = ""]) => (inferred.test(from) ? [] : (list.match(/\w+/g) ?? [])),
  );
  expect([...exportedClasses, ...exportedTypes].toSorted()).toEqual(names.toSorted());
});
