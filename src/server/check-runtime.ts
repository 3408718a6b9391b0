/** The oldest Node.js release line with security fixes, as of November 2026. */
const oldestMaintained = 22;

/** Returns a warning for a version of Node.js that no longer receives security fixes; undefined for other versions. */
export const toRuntimeWarning = (version: string): string | undefined => {
  const major = Number(version.split(".")[0]);
  return major >= oldestMaintained
    ? undefined
    : `Node.js ${version} no longer receives security fixes; use ${oldestMaintained}, 24 or 26.`;
};

let isWarned = false;

/** Warns about a runtime that is too old to be safe, once per process, on standard error; never in tests. */
export const checkRuntime = (version = process.versions.node): void => {
  if (isWarned || process.env["NODE_ENV"] === "test") return;
  isWarned = true;
  const warning = toRuntimeWarning(version);
  if (warning !== undefined) process.emitWarning(warning, { code: "SLP_WARN_RUNTIME" });
};
