import { compare, toId, type Position } from "./position.ts";

/** How much of a channel is kept. */
export interface History {
  /** The maximum number of events. */
  readonly events: number;
  /** The maximum number of bytes: those of the names, the topics and the data. */
  readonly bytes: number;
}

/** An event that was published, with its data as JSON. */
export interface PublishedEvent {
  readonly event: string;
  readonly topic: string | undefined;
  readonly data: string;
}

/** What takes the place of an event that nobody is sent, because the ones after it count on its position. */
export const noEvent: PublishedEvent = { event: "", topic: undefined, data: "" };

interface LoggedEvent extends Omit<PublishedEvent, "data"> {
  readonly position: Position;
  /** The event as it is sent. */
  readonly text: string;
  readonly size: number;
}

export const sizeOf = ({ event, topic = "", data }: PublishedEvent): number =>
  Buffer.byteLength(event) + Buffer.byteLength(topic) + Buffer.byteLength(data);

/** The events of a channel in their order, as far as they are kept: the one source of all its followers. */
export class EventLog {
  /** Whether the log has all events up to now; while it has not, nobody begins to follow. */
  isCurrent = false;
  /** How many times the store has been read to its end; infinite if the log is the store. */
  reads = 0;
  /** Parses what another process has published; what is not for this channel becomes {@link noEvent}. */
  readonly receive: (event: PublishedEvent) => Promise<PublishedEvent>;
  readonly #history: History;
  readonly #onChange: () => void;
  readonly #events: LoggedEvent[] = [];
  /** How many bytes were added in all, and how many of them are still kept. */
  added = 0;
  #bytes = 0;
  /** The position before the first event. */
  #floor: Position = { epoch: "", time: 0, count: 0 };

  /** @param onChange is called whenever the log has changed */
  constructor(history: History, onChange: () => void, receive: EventLog["receive"]) {
    this.receive = receive;
    this.#history = history;
    this.#onChange = onChange;
  }

  get latest(): Position {
    return this.#events.at(-1)?.position ?? this.#floor;
  }

  get earliest(): Position {
    return this.#events[0]?.position ?? this.#floor;
  }

  becomeCurrent(): void {
    this.reads++;
    this.isCurrent = true;
    this.#onChange();
  }

  /** Empties the log; what follows comes after the given position. */
  reset(floor: Position): void {
    this.#events.length = 0;
    this.#bytes = 0;
    this.#floor = floor;
    this.#onChange();
  }

  /**
   * @param previous the position of the event before this one; if that is another than the latest one here, the log has
   * missed events and begins anew
   */
  add(published: PublishedEvent, position: Position, previous: Position = this.latest): void {
    const { latest } = this;
    if (previous.epoch !== latest.epoch || compare(previous, latest) !== 0) this.reset(previous);
    const { event, topic, data } = published;
    const size = sizeOf(published);
    const text = `event: ${event}\nid: ${toId(position)}\ndata: ${data}\n\n`;
    this.#events.push({ position, event, topic, text, size });
    this.added += size;
    this.#bytes += size;
    while (this.#events.length > this.#history.events || this.#bytes > this.#history.bytes) {
      const dropped = this.#events.shift() as LoggedEvent;
      this.#bytes -= dropped.size;
      this.#floor = dropped.position;
    }
    this.#onChange();
  }

  /** Checks whether nothing that came after a position is missing. */
  reachesBackTo(position: Position): boolean {
    return position.epoch === this.#floor.epoch && compare(position, this.#floor) >= 0;
  }

  /**
   * Returns what came after a position; undefined if something of it is missing. Another process may have read further
   * than this one; but if a position is missing among those that are kept, the store has lost events that were sent.
   */
  listAfter(position: Position): readonly LoggedEvent[] | undefined {
    // most clients are near the end
    const index = this.#events.findLastIndex((event) => compare(event.position, position) <= 0);
    const before = this.#events[index]?.position ?? this.#floor;
    const isKept = compare(position, before) === 0 || compare(position, this.latest) > 0;
    return isKept && this.reachesBackTo(position) ? this.#events.slice(index + 1) : undefined;
  }
}
