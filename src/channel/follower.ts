import type { Following } from "../endpoint/channel-definition.ts";
import type { EventLog } from "./event-log.ts";
import { findPosition, toId, type Position } from "./position.ts";

/** A client that follows a channel. It reads the log at its own pace, so a slow one takes no memory of its own. */
export class Follower {
  readonly #log: EventLog;
  readonly #following: Following;
  /** The names of the events that the channel declares. */
  readonly #names: ReadonlyMap<string, unknown>;
  readonly #retry: number;
  /** Up to where the client has everything; undefined until the log is current. */
  #position: Position | undefined;
  /** The latest position when the connection filled up; undefined while the client can take more. */
  #fullSince: Position | undefined;

  constructor(
    log: EventLog,
    following: Following,
    names: ReadonlyMap<string, unknown>,
    retry: number,
  ) {
    this.#log = log;
    this.#following = following;
    this.#names = names;
    this.#retry = retry;
  }

  /** Sends what the log has and the client has not. */
  readonly sendNew = (): void => {
    const { writer } = this.#following;
    // another request may have published the event: no error of this one may reach it
    if (!writer.isClosed()) writer.attempt(() => this.#sendNew());
  };

  /** Logs that the store fails, or that it works again. */
  report(error: unknown): void {
    const { logger } = this.#following.args;
    if (error === undefined) logger.warn("The store of a channel works again");
    else logger.error("The store of a channel fails; its streams wait", { error });
  }

  #sendNew(): void {
    const log = this.#log;
    if (this.#fullSince) {
      this.#cutIfSlow(this.#fullSince);
      return;
    }
    let position = this.#position ?? this.#begin();
    if (!position) return;
    if (!log.reachesBackTo(position)) position = this.#tellGap(toId(position));
    const { topics } = this.#following;
    for (const { event, topic, text, position: next } of log.listAfter(position)) {
      if (this.#fullSince) return;
      this.#position = next;
      // a newer process may publish events that this one does not declare
      const isWanted = !topics || (topic !== undefined && topics.has(topic));
      if (isWanted && this.#names.has(event)) this.#send(text);
    }
  }

  #begin(): Position | undefined {
    const { args, writer } = this.#following;
    if (!this.#log.isCurrent) return undefined;
    // the stream opens now that its begin is known: a client that then loads the state misses no event after it
    writer.write(`retry: ${Math.round(this.#retry * (1 + Math.random()))}\n\n`);
    if (writer.isClosed()) return undefined;
    // events of other topics pass unseen; the id of the latest one keeps the client's position from growing old
    writer.toHeartbeat = () => `id: ${toId(this.#position as Position)}\n\n`;
    const requested = args.request.headers["last-event-id"];
    if (typeof requested === "string" && requested !== "") {
      const position = findPosition(requested);
      if (!position || !this.#log.continuesAfter(position)) return this.#tellGap(requested);
      this.#position = position;
      return position;
    }
    this.#position = this.#log.latest;
    this.#send(writer.toHeartbeat());
    return this.#position;
  }

  /** Tells the client that events are missing, and goes on with those that are still to come. */
  #tellGap(requested: string): Position {
    const { earliest, latest } = this.#log;
    this.#position = latest;
    const gap = { requested, earliest: toId(earliest), latest: toId(latest) };
    this.#send(`event: gap\nid: ${gap.latest}\ndata: ${JSON.stringify(gap)}\n\n`);
    return latest;
  }

  #send(text: string): void {
    const { writer } = this.#following;
    if (writer.write(text)) return;
    this.#fullSince = this.#log.latest;
    void this.#continue();
  }

  async #continue(): Promise<void> {
    await this.#following.writer.waitForRoom();
    this.#fullSince = undefined;
    this.sendNew();
  }

  /** A replay may be long: what counts is what was published while the client took nothing. */
  #cutIfSlow(fullSince: Position): void {
    const { writer, maxBuffered } = this.#following;
    const behind = this.#log.countBytesAfter(fullSince);
    if (behind > maxBuffered || !this.#log.reachesBackTo(fullSince)) writer.cut(behind);
  }
}
