export { createChannel } from "./channel.ts";
export { redisChannel } from "./redis-channel.ts";
export type {
  Channel,
  ChannelEvents,
  ChannelGap,
  ChannelGapSchema,
  ChannelOptions,
  EventData,
  PublishOptions,
} from "./channel.ts";
export type { History } from "./event-log.ts";
export type { ChannelRedisClient, RedisChannelOptions } from "./redis-channel.ts";
// `ChannelRedisClient` extends it; `sallyport/idempotency` has the same type
export type { RedisClient } from "../idempotency/redis-store.ts";
export type { ChannelStore, StoreConnection } from "./channel-store.ts";
