export { rateLimit } from "./rate-limit.ts";
export type {
  RateLimitArguments,
  RateLimitContext,
  RateLimited,
  RateLimitOptions,
  RateLimitState,
} from "./rate-limit.ts";
