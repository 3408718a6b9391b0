import { options } from "./arguments.ts";
import { hostNames } from "./hosts.ts";
import { defaultTemplate, templateNames, templates } from "./templates.ts";

const toRow = (name: string, description: string): string => `  ${name.padEnd(24)} ${description}`;

const optionRows = Object.entries(options).map(([name, option]) =>
  toRow(
    `${"short" in option ? `-${option.short}, ` : ""}--${name}${"hint" in option ? ` ${option.hint}` : ""}`,
    option.description,
  ),
);

/** The text of `--help`. */
export const help = `Creates a project with sallyport, a framework for typed HTTP APIs.

  npm create sallyport@latest [name] [-- options]
  pnpm create sallyport [name] [options]
  yarn create sallyport [name] [options]
  bun create sallyport [name] [options]
  deno create npm:sallyport [name] [options]

The name is the folder to create, or . for an empty one, in which a repository, a license
and the files of editors do not count. The package is named after it, in lower case and
with hyphens: "My API" becomes my-api. Without a terminal, or with any option, nothing is
asked: the name is then required, and the template is ${defaultTemplate} by default.

Options:
${optionRows.join("\n")}

Templates:
${templateNames.map((name) => toRow(name, templates[name])).join("\n")}

Hosts: ${hostNames.join(", ")}. The package manager that creates a project does not change its host.

Exit codes: 0 if all went well, 1 if the folder is not empty or the packages could not be
installed, 2 if an argument is wrong.
`;
