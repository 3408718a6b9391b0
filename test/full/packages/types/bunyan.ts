// The same check as in pino.ts, for bunyan.
import Bunyan from "bunyan";
import { createConfig, defaultEndpointsFactory } from "sallyport";

declare module "sallyport" {
  interface LoggerOverrides extends Bunyan {}
}

export const config = createConfig({ cors: false, logger: Bunyan.createLogger({ name: "own" }) });
export const endpoint = defaultEndpointsFactory.build({
  handler: async ({ logger }) => {
    logger.error("Failed", { error: new Error("one") });
    logger.error({ err: new Error("one") }, "Failed");
    logger.fatal("the last");
    // @ts-expect-error -- bunyan has no such method
    logger.silly("no");
    return {};
  },
});
