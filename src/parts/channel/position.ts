import { randomBytes } from "node:crypto";

/** A place in a channel: that of an event, or the one before the first event. Clients know it as an id. */
export interface Position {
  /** Changes when the history was lost, so that an id from before is never taken for one from after. */
  readonly epoch: string;
  /** The milliseconds of an id of a Redis stream; 0 in memory. */
  readonly time: number;
  readonly count: number;
}

export const toId = ({ epoch, time, count }: Position): string => `${epoch}-${time}-${count}`;

export const findPosition = (id: string): Position | undefined => {
  const [, epoch, time, count] = /^([\da-f]{12})-(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return epoch === undefined ? undefined : { epoch, time: Number(time), count: Number(count) };
};

/** Compares two positions of one epoch. */
export const compare = (one: Position, other: Position): number =>
  one.time - other.time || one.count - other.count;

export const createEpoch = (): string => randomBytes(6).toString("hex");
