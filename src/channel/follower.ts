import type { Following } from "../endpoint/channel-definition.ts";
import type { Logger } from "../logger/logger.ts";
import type { EventLog } from "./event-log.ts";
import { compare, findPosition, toId, type Position } from "./position.ts";

/** A client that follows a channel. */
export interface Follower {
  /**
   * Sends what the log has and the client has not.
   *
   * @param bytes how many bytes have just been published
   */
  readonly sendNew: (bytes: number) => void;
  readonly logger: Logger;
}

/**
 * Creates a follower. It reads the log at its own pace, so a slow one takes no memory of its own.
 *
 * @param names the names of the events that the channel declares
 */
export const createFollower = (
  log: EventLog,
  { args, writer, topics, maxBuffered }: Following,
  names: ReadonlyMap<string, unknown>,
  retry: number,
): Follower => {
  /** Up to where the client has everything; undefined until the log is current. */
  let position: Position | undefined;
  const requested = String(args.request.headers["last-event-id"] ?? "");
  const last = findPosition(requested);
  const lastRead = log.reads + 2;
  /** What was published while the connection is full; undefined while the client can take more. */
  let full: { readonly since: Position; bytes: number } | undefined;

  const send = (text: string): void => {
    if (writer.write(text)) return;
    full = { since: log.latest, bytes: 0 };
    void goOn();
  };
  const goOn = async (): Promise<void> => {
    await writer.waitForRoom();
    full = undefined;
    sendNew(0);
  };
  /** Tells the client that events are missing, and goes on with those that are still to come. */
  const tellGap = (requested: string): Position => {
    const { earliest, latest } = log;
    position = latest;
    const gap = { requested, earliest: toId(earliest), latest: toId(latest) };
    send(`event: gap\nid: ${gap.latest}\ndata: ${JSON.stringify(gap)}\n\n`);
    return latest;
  };
  const begin = (): Position | undefined => {
    if (!log.isCurrent) return undefined;
    // another process may have read further than this one, which the next reads show
    const isAhead = last?.epoch === log.latest.epoch && compare(last, log.latest) > 0;
    if (isAhead && log.reads < lastRead) return undefined;
    // the stream opens now that its begin is known: a client that then loads the state misses no event after it
    writer.write(`retry: ${Math.round(retry * (1 + Math.random()))}\n\n`);
    if (writer.isClosed()) return undefined;
    // events of other topics pass unseen; the id of the latest one keeps the client's position from growing old
    writer.toHeartbeat = () => `id: ${toId(position as Position)}\n\n`;
    if (requested !== "") return last && log.has(last) ? last : tellGap(requested);
    position = log.latest;
    send(writer.toHeartbeat());
    return position;
  };
  const trySendNew = (bytes: number): void => {
    if (full) {
      full.bytes += bytes;
      // a replay may be long: what counts is what was published while the client took nothing
      if (full.bytes > maxBuffered || !log.reachesBackTo(full.since)) writer.cut(full.bytes);
      return;
    }
    position ??= begin();
    if (!position) return;
    if (!log.reachesBackTo(position)) tellGap(toId(position));
    for (const { event, topic, text, position: next } of log.listAfter(position)) {
      if (full) return;
      position = next;
      // a newer process may publish events that this one does not declare
      const isWanted = !topics || (topic !== undefined && topics.has(topic));
      if (isWanted && names.has(event)) send(text);
    }
  };
  const sendNew = (bytes: number): void => {
    // another request may have published the event: no error of this one may reach it
    if (!writer.isClosed()) writer.attempt(() => trySendNew(bytes));
  };
  return { sendNew, logger: args.logger };
};
