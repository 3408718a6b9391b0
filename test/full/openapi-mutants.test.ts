import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Routing } from "sallyport";
import { generateOpenApi } from "sallyport/openapi";
import { afterAll, describe, expect, test } from "vitest";
import { start } from "../http/harness.ts";
import { drive } from "../openapi/conformance/drive.ts";
import { isLenient } from "../openapi/conformance/exceptions.ts";
import { generatorMutants, handlerMutants } from "../openapi/conformance/mutants.ts";
import { tortureConfig, tortureRouting } from "../openapi/torture/routing.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cache = `${root}node_modules/.cache/openapi-mutants-${process.pid}`;
const info = { title: "Test", version: "1" };
const options = { routing: tortureRouting, config: tortureConfig, info };
const secret = "let-me-in";

afterAll(() => rmSync(cache, { recursive: true, force: true }));

/** Imports a copy of the generator with one line changed; the copy imports the other rooms from the source. */
const importMutant = async (
  index: number,
  { file, from, to }: { readonly file: string; readonly from: string; readonly to: string },
): Promise<typeof generateOpenApi> => {
  const folder = `${cache}/${index}`;
  const rooms = ["api", "openapi"];
  for (const room of rooms) {
    mkdirSync(`${folder}/${room}`, { recursive: true });
    for (const name of readdirSync(`${root}src/describe/${room}`)) {
      const text = readFileSync(`${root}src/describe/${room}/${name}`, "utf8").replaceAll(
        /"(\.\.\/\.\.\/|\.\.\/(?!api\/|openapi\/))/g,
        (_import, up: string) => `"${root}src/${up === "../" ? "describe/" : ""}`,
      );
      const isChanged = `${room}/${name}` === `${file}.ts`;
      if (isChanged) expect(text.includes(from), `${from} in ${name}`).toBe(true);
      writeFileSync(`${folder}/${room}/${name}`, isChanged ? text.replace(from, to) : text);
    }
  }
  const module = (await import(`${folder}/openapi/index.ts`)) as {
    generateOpenApi: typeof generateOpenApi;
  };
  return module.generateOpenApi;
};

describe("the conformance test detects a generator with a changed line", () => {
  test.each(
    generatorMutants.map(
      (mutant, index) => [`${mutant.file}: ${mutant.from}`, mutant, index] as const,
    ),
  )("%s", async (_name, mutant, index) => {
    const generate = await importMutant(index, mutant);
    const { port } = await start(tortureRouting, tortureConfig);
    const only = (at: string): boolean => mutant.only.test(at);
    const honest = await drive({
      port,
      secret,
      document: generateOpenApi(options),
      calls: 80,
      only,
      isLenient,
    });
    expect(honest.violations).toEqual([]);
    const { violations } = await drive({
      port,
      secret,
      document: generate(options),
      calls: 80,
      only,
      isLenient,
    });
    expect(violations.length).toBeGreaterThan(0);
  });
});

describe("the conformance test detects a handler with", () => {
  test.each(Object.entries(handlerMutants))("%s", async (_name, { at, routing }) => {
    const { port } = await start(routing satisfies Routing, tortureConfig);
    const { violations } = await drive({
      ...{ port, secret, document: generateOpenApi(options), calls: 60 },
      only: (one) => one === at,
    });
    expect(violations.length).toBeGreaterThan(0);
  });
});
