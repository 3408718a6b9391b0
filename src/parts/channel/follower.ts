import type { FollowArguments } from "../../define/endpoint/channel-definition.ts";
import { noEvent, type EventLog } from "./event-log.ts";
import { compare, findPosition, toId, type Position } from "./position.ts";

/**
 * Creates a function that sends what the log has and the client has not. It reads the log at the client's own pace, so a
 * slow client takes no memory of its own.
 */
export const createFollower = (
  log: EventLog,
  { args, writer, topics, maxBuffered }: FollowArguments,
  retry: number,
): (() => void) => {
  /** Up to where the client has everything; undefined until the log is current. */
  let position: Position | undefined;
  const requested = String(args.request.headers["last-event-id"] ?? "");
  const last = findPosition(requested);
  const lastRead = log.reads + 2;
  /** Where the log was when the connection was filled; undefined while the client can take more. */
  let full: { readonly latest: Position; readonly added: number } | undefined;

  const send = (text: string): void => {
    if (writer.write(text)) return;
    full = { latest: log.latest, added: log.added };
    void goOn();
  };
  const goOn = async (): Promise<void> => {
    await writer.waitForRoom();
    full = undefined;
    sendNew();
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
    if (requested !== "")
      return last && !isAhead && log.listAfter(last) ? last : tellGap(requested);
    position = log.latest;
    send(writer.toHeartbeat());
    return position;
  };
  const trySendNew = (): void => {
    if (full) {
      // a replay may be long: what counts is what was published while the client took nothing
      const missed = log.added - full.added;
      if (missed > maxBuffered || !log.reachesBackTo(full.latest)) writer.cut(missed);
      return;
    }
    position ??= begin();
    if (!position) return;
    const events = log.listAfter(position);
    if (!events) tellGap(toId(position));
    for (const { event, topic, text, position: next } of events ?? []) {
      if (full) return;
      position = next;
      const isWanted = !topics || (topic !== undefined && topics.has(topic));
      if (isWanted && event !== noEvent.event) send(text);
    }
  };
  const sendNew = (): void => {
    // another request may have published the event: no error of this one may reach it
    if (!writer.isClosed()) writer.attempt(trySendNew);
  };
  return sendNew;
};
