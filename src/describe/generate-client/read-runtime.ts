import { joinModules } from "./runtime-source.ts";

/** Reads the runtime from the sources of the client; in the published package, the build has written the text here. */
export const readRuntime = (): string => joinModules(new URL("../client/", import.meta.url));
