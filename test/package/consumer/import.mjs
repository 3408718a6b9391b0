import * as sallyport from "sallyport";
import { z } from "zod";

const { servers } = await sallyport.createServer(
  sallyport.createConfig({
    http: { listen: { port: 0, host: "127.0.0.1" } },
    cors: false,
    logger: { level: "error" },
  }),
  {
    hello: sallyport.defaultEndpointsFactory.build({
      output: z.object({ hello: z.string() }),
      handler: async () => ({ hello: "world" }),
    }),
  },
);
const answer = await fetch(`http://127.0.0.1:${servers[0].address().port}/hello`);
console.log(await answer.text());
servers[0].close();
