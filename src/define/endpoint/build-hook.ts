import { channel } from "node:diagnostics_channel";

/** The message that is published before a server starts. */
export interface Starting {
  /** The error with which the server is to fail, set by a subscriber; what a subscriber throws ends the process. */
  refusal?: Error;
}

/** The names of the channels of node:diagnostics_channel on which the command line learns what a module does. */
export const channels = { built: "sallyport:built", starting: "sallyport:starting" } as const;

const built = channel(channels.built);
const starting = channel(channels.starting);

/** @throws the error with which a subscriber refuses that a server starts */
export const reportStarting = (): void => {
  if (!starting.hasSubscribers) return;
  const message: Starting = {};
  starting.publish(message);
  if (message.refusal) throw message.refusal;
};

/** Tells the subscribers, if any, that an endpoint or a middleware was built. */
export const reportBuilt = (endpoint: object): void => built.publish(endpoint);
