// Gives the `logger` in handlers the type of pino's loggers; the declarations of all packages are checked, too.
import { pino } from "pino";
import { createConfig, defaultEndpointsFactory } from "sallyport";

declare module "sallyport" {
  interface LoggerOverrides extends pino.Logger {}
}

export const config = createConfig({ cors: false, logger: pino() });
export const endpoint = defaultEndpointsFactory.build({
  handler: async ({ logger }) => {
    logger.error("Failed", { error: new Error("one") });
    logger.error({ err: new Error("one") }, "Failed");
    logger.fatal("the last");
    logger.child({ a: 1 }).trace("more");
    // @ts-expect-error -- pino has no such method
    logger.silly("no");
    return {};
  },
});
