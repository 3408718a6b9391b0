interface PackageManager {
  readonly name: string;
  /** Rewrites a command of npm. */
  readonly rewrite: (command: string) => string;
}

const withAdd = (add: string, dev: string) => (command: string) =>
  command
    .replace(/^npm install (?:-D|--save-dev) /, `${dev} `)
    .replace(/^npm install (?=\S)/, `${add} `)
    // only npm needs the dashes that end its own options
    .replace(/^npm create (.*?) -- /, "npm create $1 ");

const managers: readonly PackageManager[] = [
  { name: "npm", rewrite: (command) => command },
  {
    name: "pnpm",
    rewrite: (command) =>
      withAdd("pnpm add", "pnpm add -D")(command).replace(/^npm (?=install|create|run)/, "pnpm "),
  },
  {
    name: "yarn",
    rewrite: (command) =>
      withAdd(
        "yarn add",
        "yarn add -D",
      )(command)
        .replace(/^npm create (\S+?)@latest/, "yarn create $1")
        .replace(/^npm (?=install|create|run)/, "yarn "),
  },
  {
    name: "bun",
    rewrite: (command) =>
      withAdd("bun add", "bun add -d")(command).replace(/^npm (?=install|create|run)/, "bun "),
  },
];

/** What each manager has a command for; other commands of npm stay as they are. */
const known = /^(?:npm (?:install|create|run) |npm install$|cd |#|$)/;

/** Returns commands of npm as those of each package manager, or nothing if there is another command among them. */
export const toPackageManagers = (
  commands: string,
): readonly { readonly name: string; readonly commands: string }[] => {
  const lines = commands.trimEnd().split("\n");
  if (!lines.every((line) => known.test(line)) || !/^npm (?:install|create)/m.test(commands))
    return [];
  return managers.map(({ name, rewrite }) => ({ name, commands: lines.map(rewrite).join("\n") }));
};
