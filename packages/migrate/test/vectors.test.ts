import { join } from "node:path";
import { ts } from "ts-morph";
import { afterAll, expect, test } from "vitest";
import { openDocument, type ApiDocument } from "../src/openapi/document.ts";
import { toPlainStubs } from "../src/openapi/to-stubs.ts";
import { UsageError } from "../src/usage-error.ts";
import { createDirectory, removeDirectory, writeFiles } from "./compile.ts";
import { payloads, vectors } from "./vectors.ts";

const directory = createDirectory();
afterAll(() => removeDirectory(directory));

const templates = new Set(["values.ts", "replies.ts", "override.ts"]);

/** Returns the written modules; undefined if the document is refused. */
const write = (document: object): ReadonlyMap<string, string> | undefined => {
  writeFiles(directory, { "api.json": JSON.stringify(document) });
  try {
    const opened: ApiDocument = openDocument(join(directory, "api.json"));
    return toPlainStubs(opened).files;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
};

/** Lists what is wrong with a module: errors of its syntax, and a payload that is code. */
const listFaults = (text: string): readonly string[] => {
  const { outputText, diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
  const faults = diagnostics.map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, " "),
  );
  const source = ts.createSourceFile("a.js", outputText, ts.ScriptTarget.ES2022);
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === "PWNED") faults.push("The text is code.");
    // `__proto__: value` would set the prototype
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText(source).replaceAll(/["']/g, "") === "__proto__"
    )
      faults.push("The text sets a prototype.");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
};

test.each(Object.keys(vectors))("a text never becomes code as %s", (name) => {
  let isWritten = false;
  for (const [kind, text] of Object.entries(payloads)) {
    const document = {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      ...vectors[name]?.(text),
    };
    const written = [...(write(document) ?? [])].filter(([file]) => !templates.has(file));
    isWritten ||= written.length > 0;
    for (const [file, code] of written) {
      expect(file).toMatch(/^(?:endpoints\/)?[\p{L}\d-]+\.ts$/u);
      expect(listFaults(code), `${kind} in ${file}`).toEqual([]);
    }
  }
  // a document that is refused says nothing
  expect(isWritten).toBe(true);
});
