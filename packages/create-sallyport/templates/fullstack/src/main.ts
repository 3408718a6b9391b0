import { createServer } from "sallyport";
import { config, routing } from "./api.ts";

await createServer(config, routing);
