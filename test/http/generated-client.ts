import { rmSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import type { Routing } from "sallyport";
import type { ClientOptions } from "sallyport/client";
import { generateClient, type GenerateClientOptions } from "sallyport/generate-client";

/** The exports of a generated file that tests need. */
export interface GeneratedModule<Client> {
  readonly createClient: (options: ClientOptions) => Client;
  readonly Client: { readonly hasMore: (response: unknown) => boolean };
  readonly ReplyError: new (...args: never) => Error;
}

/** Generates a client, and imports it. */
export const importGenerated = async <Client>(
  routing: Routing,
  config: GenerateClientOptions["config"],
): Promise<GeneratedModule<Client>> => {
  const { code } = await transform(generateClient({ routing, config }), { loader: "ts" });
  const folder = mkdtempSync(join(tmpdir(), "sallyport-generated-"));
  try {
    const file = join(folder, "client.mjs");
    writeFileSync(file, code);
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as GeneratedModule<Client>;
  } finally {
    rmSync(folder, { recursive: true });
  }
};
