import { suggest } from "./suggest.ts";
import { UsageError } from "./usage-error.ts";

/** The templates, with what each contains. */
export const templates = {
  minimal: "one endpoint, a test, a documentation page and a Dockerfile",
  express: "an API on an Express application that has routes and middleware of its own",
  fullstack: "an API with PGlite, and a page with Vite and the typed client",
} as const;

export type Template = keyof typeof templates;

export const templateNames = Object.keys(templates) as readonly Template[];

export const defaultTemplate: Template = "minimal";

/** @throws {UsageError} when there is no template of that name. */
export const toTemplate = (name: string): Template => {
  const template = templateNames.find((known) => known === name);
  if (template) return template;
  throw new UsageError(
    `There is no template \`${name}\`.${suggest(name, templateNames)} The templates are ${templateNames.join(", ")}.`,
  );
};
