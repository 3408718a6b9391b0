/** A part of an event stream, up to a blank line. */
export interface EventBlock {
  readonly event: string;
  /** The lines of data; a block without data is not an event. */
  readonly data: readonly string[];
  readonly id: string | undefined;
  /** The delay before the client reconnects, in milliseconds. */
  readonly retry: number | undefined;
}

/**
 * Returns a function that accepts the chunks of an event stream, and returns the blocks that each chunk completes.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export const createEventParser = (): ((text: string) => readonly EventBlock[]) => {
  let rest = "";
  let lines: string[] = [];
  return (text) => {
    rest += text;
    const arrived = rest.split(/\r\n|\r(?!$)|\n/);
    rest = arrived.pop() ?? "";
    const blocks: EventBlock[] = [];
    for (const line of arrived) {
      if (line !== "") lines.push(line);
      else if (lines.length > 0) {
        blocks.push(toBlock(lines));
        lines = [];
      }
    }
    return blocks;
  };
};

const toBlock = (lines: readonly string[]): EventBlock => {
  let event = "";
  let id: string | undefined;
  let retry: number | undefined;
  const data: string[] = [];
  for (const line of lines) {
    const [name = ""] = line.split(":", 1);
    const value = line.slice(name.length + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
  return { event: event || "message", data, id, retry };
};
