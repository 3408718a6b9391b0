import { expect, test } from "vitest";
import { referencePages, writeReference } from "../src/reference.ts";
import { parseTsdoc } from "../src/tsdoc.ts";

const write = (name: string): string => {
  const page = referencePages.find((one) => one.name === name);
  if (!page) throw new Error(`There is no page ${name}`);
  return writeReference(page);
};

/** Returns the section of a heading. */
const read = (name: string, heading: string): string =>
  write(name)
    .split(/^(?=##+ )/m)
    .find((section) => section.startsWith(`${heading}\n`)) ?? "";

test("an option has its type, its description and its default", () => {
  const section = read("configuration", "### bodyIdleTimeout");
  expect(section).toContain("```ts\nbodyIdleTimeout?: number\n```");
  expect(section).toContain("in milliseconds, before it receives 408.");
  expect(section).toContain("**Default:** `10000`");
});

test("the options that an interface inherits have sections too", () => {
  expect(write("configuration")).toContain("\n### caseSensitive\n");
  expect(write("middleware")).toContain("\n### afterValidation\n");
  expect(write("client")).toContain("\n### baseUrl\n");
});

test("a comment counts even if another one follows it", () => {
  expect(read("build", "### handler")).toContain("Returns an object that fits `output`");
});

test("options refer to the types that the page describes", () => {
  expect(read("configuration", "### upload")).toContain("[UploadOptions](#uploadoptions)");
  expect(read("configuration", "### UploadLimits")).toContain("- `fileSize?: number`");
});

test("only optional members lose `undefined`", () => {
  const section = read("configuration", "### AccessedReply");
  expect(section).toContain("- `status: number | undefined`");
  expect(read("configuration", "### http")).toContain("{ listen: Listen; options?: HttpOptions }");
});

test("overloads are shown without what implements them", () => {
  const section = read("ez", "## ez.form");
  expect(section.match(/^form</gm)).toHaveLength(2);
  expect(section).not.toContain("assertShape");
});

test("each schema of ez has a section with a description", () => {
  const sections = write("ez").split(/^(?=##? ez\.)/m);
  expect(sections).toHaveLength(12);
  expect(sections.filter((section) => !/```\n\n[A-Z]/.test(section))).toEqual([sections[0]]);
});

test.each(referencePages.map(({ name }) => name))("%s has no tag that is not shown", (name) => {
  expect(write(name)).not.toMatch(/^ *@|\{@/m);
});

test("a default is code as far as it is a value", () => {
  const read = (text: string) => parseTsdoc(`What it is.\n\n@default ${text}`).defaultValue;
  expect(read("false, which installs none")).toBe("`false`, which installs none");
  expect(read("{ bytes: 1, values: 2 }")).toBe("`{ bytes: 1, values: 2 }`");
  expect(read('"debug"; "warn" in production')).toBe('`"debug"`; "warn" in production');
  expect(read("none")).toBe("none");
});

test("what Vue or HTML would read is written so that neither does", () => {
  expect(parseTsdoc("A {{ x }} of <T> and `<U>`, see {@link V}").description).toBe(
    "A &#123;&#123; x }} of &lt;T> and `<U>`, see `V`",
  );
});
