import { createClient, type ClientOptions } from "sallyport/client";
// only the type: the page contains no code of the server
import type { routing } from "../src/api.ts";

export const createApiClient = (options: ClientOptions) => createClient<typeof routing>(options);

export type ApiClient = ReturnType<typeof createApiClient>;
