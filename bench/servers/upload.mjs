// sallyport with an endpoint that writes large uploads to disk.
import { createServer, defaultEndpointsFactory, ez } from "sallyport";
import { z } from "zod";
import { createQuietConfig } from "./quiet-config.mjs";

await createServer(createQuietConfig({ upload: { limits: { fileSize: 1_073_741_824 } } }), {
  "post /upload": defaultEndpointsFactory.build({
    input: z.object({ file: ez.upload() }),
    output: z.object({ size: z.number() }),
    handler: async ({ input }) => ({ size: input.file.size }),
  }),
});
