export {
  createFetchHandler,
  type FetchConfig,
  type FetchHandler,
  type FetchOptions,
} from "./create-fetch-handler.ts";
