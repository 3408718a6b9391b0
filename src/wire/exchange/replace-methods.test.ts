import { describe, expect, test } from "vitest";
import { holdEnd, replaceMethods } from "./replace-methods.ts";

class Reply {
  said: string[] = [];
  end(text: string): this {
    this.said.push(`end ${text}`);
    return this;
  }
}

const replace = (reply: object, name: string): (() => void) =>
  replaceMethods(reply, {
    end: (original) =>
      function (...args) {
        (this as unknown as Reply).said.push(name);
        return Reflect.apply(original, this, args);
      },
  });

describe("replaceMethods", () => {
  test("calls what it replaces, and undoes itself in any order", () => {
    const reply = new Reply();
    const [first, second] = [replace(reply, "first"), replace(reply, "second")];
    reply.end("a");
    expect(reply.said.splice(0)).toEqual(["second", "first", "end a"]);
    // the second one, which has replaced the first, still calls it
    first();
    second();
    reply.end("b");
    expect(reply.said.splice(0)).toEqual(["first", "end b"]);
    first();
    reply.end("c");
    expect(reply.said).toEqual(["end c"]);
    expect(Object.hasOwn(reply, "end")).toBe(false);
  });

  test("calls the method that the prototype has when it is called", () => {
    class Later extends Reply {}
    const reply = new Later();
    replace(reply, "own");
    const undo = replace(Later.prototype, "prototype");
    reply.end("a");
    undo();
    reply.end("b");
    expect(reply.said).toEqual(["own", "prototype", "end a", "own", "end b"]);
  });

  test("replaces a method of which a tool has fixed all but the value, and restores it", () => {
    const reply = new Reply();
    const value: unknown = Reflect.get(Reply.prototype, "end");
    Object.defineProperty(reply, "end", { writable: true, value });
    const undo = replace(reply, "own");
    reply.end("a");
    undo();
    reply.end("b");
    expect(reply.said).toEqual(["own", "end a", "end b"]);
  });
});

test("holdEnd makes a response count as ended until it is released", () => {
  const response = { writableEnded: false } as never;
  const own = Object.create(response) as { writableEnded: boolean };
  const release = holdEnd(own as never);
  expect(own.writableEnded).toBe(true);
  release();
  expect(own.writableEnded).toBe(false);
});
