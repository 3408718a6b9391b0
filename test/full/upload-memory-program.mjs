// Run by upload-memory.test.ts in a separate process: moves an uploaded file into the given directory.
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createConfig, createServer, defaultEndpointsFactory, ez } from "../../dist/index.js";

const [, , directory = ""] = process.argv;

const upload = defaultEndpointsFactory.build({
  method: "post",
  input: z.object({ file: ez.upload() }),
  output: z.object({ size: z.number(), path: z.string() }),
  handler: async ({ input: { file } }) => {
    const path = join(directory, `moved-${randomUUID()}`);
    await file.mv(path);
    return { size: file.size, path };
  },
});

const { servers } = await createServer(
  createConfig({
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: false,
    logger: { level: "silent" },
    startupLogo: false,
    gracefulShutdown: true,
    upload: { limits: { fileSize: 600 * 1024 * 1024 }, tempFileDir: directory },
  }),
  { upload },
);
writeSync(1, `port ${servers[0].address().port}\n`);
