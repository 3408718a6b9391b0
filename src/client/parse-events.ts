/** An event as it came. */
export interface RawEvent {
  readonly event: string;
  readonly data: string;
  /** The id of this event; undefined where it has none of its own. */
  readonly id: string | undefined;
  readonly retry: number | undefined;
}

/** What a parser of an event stream is given. */
export interface EventSink {
  readonly onEvent: (event: RawEvent) => void;
  /** Told of each id that is complete, also one without an event; before `onEvent`. */
  readonly onId: (id: string) => void;
  /** Told of each wait that the server asks for, in milliseconds. */
  readonly onRetry: (milliseconds: number) => void;
}

/**
 * Gives a function that takes the text of an event stream piece by piece; an event that is not complete is not given.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export const createEventParser = ({ onEvent, onId, onRetry }: EventSink) => {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let id: string | undefined;
  let retry: number | undefined;
  const takeLine = (line: string): void => {
    if (line === "") {
      // not before: the id of an event that is cut off must not count as received
      if (id !== undefined) onId(id);
      if (data.length > 0)
        onEvent({ event: event === "" ? "message" : event, data: data.join("\n"), id, retry });
      event = "";
      data = [];
      id = retry = undefined;
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d+$/.test(value)) onRetry((retry = Number(value)));
  };
  return (text: string): void => {
    rest += text;
    const lines = rest.split(/\r\n|\r(?!$)|\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) takeLine(line);
  };
};
