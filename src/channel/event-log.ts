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

/** An event in the log. */
export interface LoggedEvent {
  readonly position: Position;
  readonly event: string;
  readonly topic: string | undefined;
  /** The event as it is sent. */
  readonly text: string;
}

interface Entry extends LoggedEvent {
  readonly size: number;
  /** How many bytes the log had taken before. */
  readonly before: number;
}

export const sizeOf = ({ event, topic = "", data }: PublishedEvent): number =>
  Buffer.byteLength(event) + Buffer.byteLength(topic) + Buffer.byteLength(data);

/** The events of a channel in their order, as far as they are kept: the one source of all its followers. */
export class EventLog {
  readonly #history: History;
  /** Is called whenever the log has changed. */
  readonly #onChange: () => void;
  /** The events by running number. */
  readonly #entries = new Map<number, Entry>();
  #first = 0;
  #next = 0;
  #kept = 0;
  #taken = 0;
  /** The position before the first event. */
  #floor: Position = { epoch: "", time: 0, count: 0 };
  #isCurrent = false;

  constructor(history: History, onChange: () => void) {
    this.#history = history;
    this.#onChange = onChange;
  }

  /** Whether the log has all events up to now; while it has not, nobody begins to follow. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  set isCurrent(isCurrent: boolean) {
    const isNew = isCurrent && !this.#isCurrent;
    this.#isCurrent = isCurrent;
    if (isNew) this.#onChange();
  }

  get latest(): Position {
    return this.#entries.get(this.#next - 1)?.position ?? this.#floor;
  }

  get earliest(): Position {
    return this.#entries.get(this.#first)?.position ?? this.#floor;
  }

  /** Empties the log; what follows comes after the given position. */
  reset(floor: Position): void {
    this.#entries.clear();
    this.#first = this.#next;
    this.#kept = 0;
    this.#floor = floor;
    this.#onChange();
  }

  /**
   * Adds an event.
   *
   * @param previous the position of the event before this one; if that is another than the latest one here, the log has
   * missed events and begins anew
   */
  add(published: PublishedEvent, position: Position, previous: Position = this.latest): void {
    const { latest } = this;
    if (previous.epoch !== latest.epoch || compare(previous, latest) !== 0) this.reset(previous);
    const { event, topic, data } = published;
    const size = sizeOf(published);
    const text = `event: ${event}\nid: ${toId(position)}\ndata: ${data}\n\n`;
    this.#entries.set(this.#next++, { position, event, topic, text, size, before: this.#taken });
    this.#kept += size;
    this.#taken += size;
    while (this.#next - this.#first > this.#history.events || this.#kept > this.#history.bytes)
      this.#drop();
    this.#onChange();
  }

  /** Checks whether nothing that came after a position is missing. */
  reachesBackTo(position: Position): boolean {
    return position.epoch === this.#floor.epoch && compare(position, this.#floor) >= 0;
  }

  /**
   * Checks whether a client may go on after a position. Another process may have read further than this one; but if a
   * position is missing among those that are kept, the store has lost events that were sent.
   */
  continuesAfter(position: Position): boolean {
    const before = this.#entries.get(this.#find(position) - 1)?.position ?? this.#floor;
    const isKept = compare(position, before) === 0 || compare(position, this.latest) > 0;
    return isKept && this.reachesBackTo(position);
  }

  /** Returns how many bytes have come after a position. */
  countBytesAfter(position: Position): number {
    return this.#taken - (this.#entries.get(this.#find(position))?.before ?? this.#taken);
  }

  *listAfter(position: Position): Generator<LoggedEvent, void, undefined> {
    for (let number = this.#find(position); ; number++) {
      const entry = this.#entries.get(number);
      if (!entry) return;
      yield entry;
    }
  }

  #drop(): void {
    const entry = this.#entries.get(this.#first) as Entry;
    this.#entries.delete(this.#first++);
    this.#kept -= entry.size;
    this.#floor = entry.position;
  }

  /** Returns the number of the first event after a position. */
  #find(position: Position): number {
    let low = this.#first;
    let high = this.#next;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (compare((this.#entries.get(middle) as Entry).position, position) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
