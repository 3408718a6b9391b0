import { existsSync, readFileSync } from "node:fs";

/** The modules of the client that a generated file contains, each after those that it imports. */
const modules = [
  ...["call-options", "client-errors", "reply-types", "wire-value", "encode-pairs"],
  ...["encode-multipart", "fill-path", "build-request", "pages", "upload-progress"],
  ...["send-request", "read-reply", "parse-events", "subscribe", "client"],
  "generated-client",
] as const;

/** Beside this module in the published package, where the build writes it. */
const bundled = new URL("./runtime.txt", import.meta.url);

/** What a file exports of the client, whatever its routes are. */
export const exportedClasses = [
  ...["AbortedError", "ClientError", "NetworkError", "ReplyError", "TimeoutError"],
  ...["UnexpectedBodyError", "UnsendableInputError"],
] as const;

/** The types that a file exports of the client. */
export const exportedTypes = [
  ...["Attempt", "CallOptions", "CallRoute", "ClientOptions", "ErrorReply", "ErrorStatus", "Fetch"],
  ...["HeaderFields", "HeaderSource", "Pages", "ReplyIssue", "RetryOptions", "SharedOptions"],
  ...["SourceName", "SubscribeOptions", "SuccessReply", "SuccessStatus", "UnexpectedReply"],
  "UploadProgress",
] as const;

/** Joins the modules of the client: what they say, without their imports and exports. */
export const bundleRuntime = (folder: URL): string =>
  modules
    .map((name) =>
      readFileSync(new URL(`${name}.ts`, folder), "utf8")
        .replaceAll(/^import [^;]*;\n/gm, "")
        .replaceAll(/^export (?=abstract|async|class|const|function|interface|type)/gm, "")
        .replaceAll(/^ *\/\/ oxlint-disable.*\n/gm, "")
        .trim(),
    )
    .join("\n\n");

/** The source of the client, as it is tested. */
export const readRuntime = (): string =>
  existsSync(bundled)
    ? readFileSync(bundled, "utf8")
    : bundleRuntime(new URL("../client/", import.meta.url));
