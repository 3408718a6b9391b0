import { loadNodeZlib } from "../http/node-modules.ts";

const thresholdPattern = /^(\d+(?:\.\d+)?) ?(b|kb|mb|gb)?$/i;

/** Parses a threshold such as "1kb" to bytes; returns undefined if it is invalid. */
export const toThreshold = (threshold: unknown): number | undefined => {
  if (typeof threshold === "number") return threshold >= 0 ? threshold : undefined;
  const match = typeof threshold === "string" ? thresholdPattern.exec(threshold) : null;
  if (!match) return undefined;
  return (
    Number(match[1]) * 1024 ** ["b", "kb", "mb", "gb"].indexOf((match[2] ?? "b").toLowerCase())
  );
};

/** All encodings, in order of preference. */
export const knownEncodings: readonly string[] = ["zstd", "br", "gzip", "deflate"];

/** The encodings that this Node.js version supports, in order of preference; zstd is available since 22.15 and 23.8. */
export const listSendableEncodings = (): readonly string[] => {
  const hasZstd = "createZstdCompress" in loadNodeZlib();
  return knownEncodings.filter((encoding) => encoding !== "zstd" || hasZstd);
};
