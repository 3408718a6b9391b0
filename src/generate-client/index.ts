export { generateClient } from "./generate-client.ts";
export type { GenerateClientOptions } from "./options.ts";
