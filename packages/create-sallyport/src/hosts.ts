import { suggest } from "./suggest.ts";
import { UsageError } from "./usage-error.ts";

/** What runs the server of a project. */
export interface Host {
  readonly name: "node" | "bun" | "deno";
  /** Runs a file. */
  readonly run: string;
  /** Runs a file again after each change. */
  readonly watch: string;
  /** Runs the text that follows. */
  readonly evaluate: string;
  /** The image of a container. */
  readonly image: string;
  /** The user in that image who may do little. */
  readonly user: string;
}

const node: Host = {
  ...{ name: "node", run: "node", watch: "tsx watch --include .env", evaluate: "node -e" },
  ...{ image: "node:24-slim", user: "node" },
};

const permissions = "--allow-net --allow-env --allow-read --allow-write";

const hosts: readonly Host[] = [
  node,
  {
    ...{ name: "bun", run: "bun", watch: "bun --watch", evaluate: "bun -e" },
    ...{ image: "oven/bun:1.4-slim", user: "bun" },
  },
  {
    ...{ name: "deno", run: `deno run ${permissions}`, evaluate: "deno eval" },
    ...{ watch: `deno run --watch=.env ${permissions}`, image: "denoland/deno:2.9.6" },
    user: "deno",
  },
];

export const hostNames = hosts.map(({ name }) => name);

export const defaultHost: Host = node;

/** @throws {UsageError} when there is no host of that name. */
export const toHost = (name: string): Host => {
  const host = hosts.find((known) => known.name === name);
  if (host) return host;
  throw new UsageError(
    `There is no host \`${name}\`.${suggest(name, hostNames)} The hosts are ${hostNames.join(", ")}.`,
  );
};

const toArguments = (command: string): string =>
  command
    .split(" ")
    .map((word) => JSON.stringify(word))
    .join(", ");

/** Rewrites the commands of Node.js, which the templates contain, to those of another host. */
export const translateHost = (text: string, host: Host): string =>
  host.name === "node"
    ? text
    : text
        .replaceAll(node.watch, host.watch)
        .replaceAll(`${node.run} dist/`, `${host.run} dist/`)
        .replaceAll(`["${node.run}", "dist/`, `[${toArguments(host.run)}, "dist/`)
        .replaceAll(`[${toArguments(node.evaluate)}, `, `[${toArguments(host.evaluate)}, `)
        // the image in which the server runs; what builds it stays
        .replaceAll(`FROM ${node.image}\n`, `FROM ${host.image}\n`)
        .replaceAll("USER node", `USER ${host.user}`)
        .replaceAll("node:node", `${host.user}:${host.user}`);
