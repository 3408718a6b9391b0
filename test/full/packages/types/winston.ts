// The same check as in pino.ts, for winston.
import { createConfig, defaultEndpointsFactory } from "sallyport";
import winston from "winston";

declare module "sallyport" {
  interface LoggerOverrides extends winston.Logger {}
}

export const config = createConfig({ cors: false, logger: winston.createLogger() });
export const endpoint = defaultEndpointsFactory.build({
  handler: async ({ logger }) => {
    logger.error("Failed", { error: new Error("one") });
    logger.silly("winston has this");
    // @ts-expect-error -- winston has no such method
    logger.fatal("no");
    return {};
  },
});
