import { createInterface, type Interface } from "node:readline/promises";
import type { Arguments } from "./arguments.ts";
import { defaultTemplate, templateNames, templates, toTemplate } from "./templates.ts";
import { UsageError } from "./usage-error.ts";

const defaultProject = "my-api";

/** Asks for what was not given: the name and the template. */
export const ask = async (
  given: Arguments,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<Arguments> => {
  const terminal = createInterface({ input, output });
  try {
    const project =
      given.project ?? ((await terminal.question(`Name (${defaultProject}): `)).trim() || defaultProject);
    if (given.template !== undefined) return { ...given, project };
    for (const name of templateNames) output.write(`  ${name.padEnd(10)} ${templates[name]}\n`);
    return { ...given, project, template: await askTemplate(terminal, output) };
  } finally {
    terminal.close();
  }
};

const askTemplate = async (terminal: Interface, output: NodeJS.WritableStream) => {
  for (;;) {
    const answer = (await terminal.question(`Template (${defaultTemplate}): `)).trim();
    try {
      return toTemplate(answer || defaultTemplate);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      output.write(`${error.message}\n`);
    }
  }
};
