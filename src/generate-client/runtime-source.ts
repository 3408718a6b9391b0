import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { ownFile } from "../lazy/own-file.ts";

/**
 * The parts of the client, which the build writes next to this module: modules in the order in which they import each
 * other. Only a file that revives dates contains the second part.
 */
const parts = {
  runtime: [
    ...["call-options", "client-errors", "reply-types", "encode-input", "build-request", "pages"],
    ...["send-request", "read-reply", "subscribe", "client", "generated-client"],
  ],
  revival: ["revive-dates"],
} as const;

export const exportedClasses = [
  ...["AbortedError", "ClientError", "EventSizeError", "NetworkError", "PageError"],
  ...["RedirectError", "ReplyError", "TimeoutError", "UnexpectedBodyError", "UnsendableInputError"],
] as const;

export const exportedTypes = [
  ...["CallError", "ErrorOf", "HasMore", "InputOf", "OutputOf", "ReplyErrorOf"],
  ...["Attempt", "CallOptions", "CallRoute", "ClientOptions", "ErrorReply", "ErrorStatus", "Fetch"],
  ...["HeaderFields", "HeaderSource", "Pages", "ReplyIssue", "RetryOptions", "RouteDeprecation"],
  ...["SharedOptions", "SourceName", "SubscribeOptions", "SuccessReply", "SuccessStatus"],
  ...["UnexpectedReply", "UploadProgress"],
] as const;

const bundle = (folder: URL, part: keyof typeof parts): string =>
  parts[part]
    .map((name) =>
      readFileSync(new URL(`${name}.ts`, folder), "utf8")
        .replaceAll(/^import [^;]*;\n/gm, "")
        .replaceAll(/^export (?=async|class|const|function|interface|type)/gm, "")
        .replaceAll(/^ *\/\/ oxlint-disable.*\n/gm, "")
        .trim(),
    )
    .join("\n\n");

/** Writes the parts for the published package; called when the package is built. */
export const writeParts = (from: URL, to: URL): void => {
  for (const part of Object.keys(parts) as (keyof typeof parts)[])
    writeFileSync(new URL(`${part}.txt`, to), bundle(from, part));
};

export const readPart = (part: keyof typeof parts): string => {
  const home = pathToFileURL(createRequire(ownFile).resolve("sallyport/package.json"));
  return ownFile.endsWith(".ts")
    ? bundle(new URL("src/client/", home), part)
    : readFileSync(new URL(`dist/generate-client/${part}.txt`, home), "utf8");
};
