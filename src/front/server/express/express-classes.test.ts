import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createExpressObjects } from "./express-app.ts";

test("a request passes on all eight values with which Bun creates it", () => {
  const given: unknown[] = [];
  class OfBun extends IncomingMessage {
    constructor(socket: Socket, ...rest: readonly unknown[]) {
      super(socket);
      given.push(socket, ...rest);
    }
  }
  const { IncomingMessage: Own } = createExpressObjects({});
  Object.setPrototypeOf(Object.getPrototypeOf(Own), OfBun);
  const values = [new Socket(), 2, 3, 4, 5, 6, 7, 8];
  Reflect.construct(Own, values);
  expect(given).toEqual(values);
});
