export { generateClient } from "./generate-client.ts";
export type { GenerateClientOptions } from "./generate-client.ts";
