// Installs the dependencies only if something is missing, so that `npm start` and `npm test` work right after a clone:
// those of the repository, or of the given folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , folder] = process.argv;
const root = new URL(folder === undefined ? "../" : `../${folder}/`, import.meta.url);
const readPackages = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8")).packages ?? {};

const isComplete = () => {
  if (!existsSync(new URL("node_modules/.package-lock.json", root))) return false;
  const installed = readPackages("node_modules/.package-lock.json");
  return Object.entries(readPackages("package-lock.json")).every(
    ([place, { version, optional, link, devOptional }]) =>
      !place.startsWith("node_modules/") ||
      optional ||
      devOptional ||
      link ||
      installed[place]?.version === version,
  );
};

const options = [
  // development dependencies are needed with NODE_ENV=production, too
  ...["--include=dev", "--no-audit", "--no-fund", "--loglevel=http", "--no-progress"],
  // without a network, npm would otherwise try for minutes
  ...["--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"],
  "--fetch-timeout=20000",
];

/** Writes a line in place of the one before, in a terminal. */
const show = (text) => process.stderr.isTTY && process.stderr.write(`\r\u001b[2K${text}`);

/** Runs npm, and shows how many packages have arrived; resolves to its exit code, and what it has complained about. */
const npm = async (...args) => {
  const child = spawn("npm", [...args, ...options], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    shell: process.platform === "win32",
  });
  const complaints = [];
  let count = 0;
  createInterface(child.stderr).on("line", (line) => {
    if (!line.startsWith("npm http ")) complaints.push(line);
    else if (/\.tgz\b/.test(line)) show(`${++count} packages have arrived`);
  });
  const [code] = await once(child, "close").catch(({ message }) => {
    complaints.push(`npm could not be run: ${message}`);
    return [1];
  });
  show("");
  return { code, complaints: complaints.join("\n") };
};

const offline =
  /\b(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/;

if (!isComplete()) {
  console.error("Installing the dependencies; this takes about half a minute...");
  let { code, complaints } = await npm("ci");
  // `npm ci` rejects the lock file if the registry lacks a package for another platform
  if (code !== 0 && !offline.test(complaints))
    ({ code, complaints } = await npm("install", "--no-save"));
  const [reason] = offline.exec(complaints) ?? [];
  if (code !== 0)
    console.error(
      reason === undefined
        ? complaints
        : `The registry of npm cannot be reached (${reason}). Connect to the network, or set a proxy or another registry, as in \`npm config set registry https://registry.example\`, and try again.`,
    );
  process.exitCode = code;
}
