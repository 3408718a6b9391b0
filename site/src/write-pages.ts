import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { swaggerScript, swaggerStyles } from "../../src/describe/docs-page/swagger-look.ts";
import { writeLanding } from "./landing.ts";
import { referencePages, writeReference } from "./reference.ts";

const folder = fileURLToPath(new URL("../generated/", import.meta.url));
const shop = fileURLToPath(new URL("../public/shop/", import.meta.url));
const example = fileURLToPath(new URL("../../example/openapi.yaml", import.meta.url));

/** Writes the pages that are made of other files: the landing page, the reference, and the document of the example. */
export const writePages = (): void => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "reference"), { recursive: true });
  writeFileSync(join(folder, "index.md"), writeLanding());
  for (const page of referencePages) {
    const description = page.intro.replaceAll(/\[([^\]]+)\]\([^)]+\)|`/g, "$1");
    const frontmatter = `---\n${JSON.stringify({ editLink: false, description })}\n---\n\n`;
    writeFileSync(join(folder, "reference", `${page.name}.md`), frontmatter + writeReference(page));
  }
  const ui = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  for (const name of ["swagger-ui-bundle.js", "swagger-ui.css"])
    copyFileSync(join(ui, name), join(shop, name));
  writeFileSync(join(shop, "look.css"), swaggerStyles);
  writeFileSync(join(shop, "init.js"), swaggerScript);
  copyFileSync(example, join(shop, "openapi.yaml"));
};
