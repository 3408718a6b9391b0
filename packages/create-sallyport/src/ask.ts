import { createInterface } from "node:readline/promises";
import type { Arguments } from "./arguments.ts";
import { defaultTemplate, templateNames, templates, toTemplate } from "./templates.ts";
import { UsageError } from "./usage-error.ts";

const defaultProject = "my-api";

/**
 * Asks for what was not given: the name and the template.
 *
 * @throws {UsageError} when the input ends without an answer.
 */
export const ask = async (
  given: Arguments,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<Arguments> => {
  // the terminal's own line editing suffices, and leaves Ctrl+C to end the process
  const lines = createInterface({ input, output, terminal: false });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  const read = async (question: string, fallback: string): Promise<string> => {
    try {
      const answer = await lines.question(`${question} (${fallback}): `, { signal: ended.signal });
      return answer.trim() || fallback;
    } catch (error) {
      if (!ended.signal.aborted) throw error;
      throw new UsageError(
        "The input has ended. Give what is asked for, as in `npm create sallyport@latest my-api -- --template minimal`.",
      );
    }
  };
  try {
    const project = given.project ?? (await read("Name", defaultProject));
    for (const name of templateNames) output.write(`  ${name.padEnd(10)} ${templates[name]}\n`);
    for (;;) {
      try {
        const template = toTemplate(await read("Template", defaultTemplate));
        return { ...given, project, template };
      } catch (error) {
        if (!(error instanceof UsageError) || ended.signal.aborted) throw error;
        output.write(`${error.message}\n`);
      }
    }
  } finally {
    lines.close();
  }
};
