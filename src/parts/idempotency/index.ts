export { idempotency } from "./idempotency.ts";
export { postgresStore, postgresTable } from "./postgres-store.ts";
export { redisStore } from "./redis-store.ts";
export { memoryStore } from "./idempotency-store.ts";
export type {
  IdempotencyArguments,
  IdempotencyContext,
  IdempotencyErrors,
  IdempotencyHeaders,
  IdempotencyOptions,
} from "./idempotency.ts";
export type { PostgresPool, PostgresStoreOptions } from "./postgres-store.ts";
export type { RedisClient, RedisStoreOptions } from "./redis-store.ts";
export type { Claim, IdempotencyStore, KeptReply, UsedKey } from "./idempotency-store.ts";
