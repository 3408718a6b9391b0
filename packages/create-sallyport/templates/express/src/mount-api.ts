import { attachRouting } from "sallyport";
import { config, routing } from "./api.ts";
import { application } from "./application.ts";

const { notFoundHandler } = attachRouting(config, routing);

// after the routes of the application and of the API
application.use(notFoundHandler);

export { application };
