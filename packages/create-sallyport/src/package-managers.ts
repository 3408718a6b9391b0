/** How a package manager is called in a project. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun" | "deno";
  readonly install: string;
  /** Installs what the lock file says, in CI and in images. */
  readonly installLocked: string;
  /** The same, without what only development needs. */
  readonly installProduction: string;
  /** Runs a script of package.json: `npm run` in `npm run dev`. */
  readonly run: string;
  /** Runs the command of an installed package: `npx` in `npx sallyport`. */
  readonly execute: string;
  readonly lockFile: string;
  /** What a project needs beside the template, by file name. */
  readonly files: Readonly<Record<string, string>>;
}

const npm: PackageManager = {
  name: "npm",
  install: "npm install",
  installLocked: "npm ci",
  installProduction: "npm ci --omit=dev",
  run: "npm run",
  execute: "npx",
  lockFile: "package-lock.json",
  files: {},
};

/**
 * Recognises the package manager that has called this command by its `npm_config_user_agent`, such as
 * `pnpm/10.5.2 npm/? node/v24.1.0 linux x64`; npm, if it is none of the known ones.
 */
export const toPackageManager = (userAgent = ""): PackageManager => {
  const [, name, version = ""] = /^(pnpm|yarn|bun|deno)\/(\d+[\w.-]*)/.exec(userAgent) ?? [];
  // images and CI have npm only
  const add = (published: string) => `npm install --global --force ${published}@${version}`;
  switch (name) {
    case "pnpm": {
      const installLocked = `${add("pnpm")} && pnpm install --frozen-lockfile`;
      return {
        ...{ name, install: "pnpm install", installLocked, run: "pnpm run", execute: "pnpm exec" },
        ...{ installProduction: `${installLocked} --prod`, lockFile: "pnpm-lock.yaml", files: {} },
      };
    }
    case "yarn": {
      const common = { name, install: "yarn install", run: "yarn run", execute: "yarn" } as const;
      if (version.startsWith("1.")) {
        const installLocked = `${add("yarn")} && yarn install --frozen-lockfile`;
        const installProduction = `${installLocked} --production`;
        return { ...common, installLocked, installProduction, lockFile: "yarn.lock", files: {} };
      }
      const program = add("@yarnpkg/cli-dist");
      return {
        ...common,
        installLocked: `${program} && yarn install --immutable`,
        installProduction: `${program} && yarn workspaces focus --production`,
        lockFile: "yarn.lock .yarnrc.yml",
        files: {
          // the documentation is read in node_modules
          ".yarnrc.yml": "nodeLinker: node-modules\n",
          // without it, yarn looks for a project in the folders above
          "yarn.lock": "",
        },
      };
    }
    case "bun": {
      const installLocked = `${add("bun")} && bun install --frozen-lockfile`;
      return {
        ...{ name, install: "bun install", installLocked, run: "bun run", execute: "bunx" },
        ...{ installProduction: `${installLocked} --production`, lockFile: "bun.lock", files: {} },
      };
    }
    case "deno": {
      const installLocked = `${add("deno")} && deno ci`;
      return {
        ...{ name, install: "deno install", installLocked, run: "deno task", execute: "deno x" },
        ...{ installProduction: `${installLocked} --prod`, lockFile: "deno.lock", files: {} },
      };
    }
    default:
      return npm;
  }
};

/** Rewrites the commands of npm, which the templates contain, to those of another package manager. */
export const translate = (text: string, manager: PackageManager): string =>
  manager.name === "npm"
    ? text
    : text
        .replaceAll(npm.installProduction, manager.installProduction)
        .replaceAll(npm.installLocked, manager.installLocked)
        // those of `installLocked` stay
        .replaceAll(/\bnpm install(?! --global)/g, manager.install)
        .replaceAll(/\bnpm (?:run )?(?=(?:start|test|dev|build|check)\b)/g, `${manager.run} `)
        .replaceAll("npx ", `${manager.execute} `)
        .replaceAll(npm.lockFile, manager.lockFile)
        // the action looks for the package manager before a step can install it
        .replaceAll(/\n *cache: npm(?=\n)/g, "");
