export { rateLimit } from "./rate-limit.ts";
export type { RateLimitArguments, RateLimited, RateLimitOptions } from "./rate-limit.ts";
