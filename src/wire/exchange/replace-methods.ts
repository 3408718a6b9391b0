import type { ServerResponse } from "node:http";

/** A method of a response, as it was before it was replaced, or in its place. */
export type ReplyMethod = (this: ServerResponse, ...args: readonly unknown[]) => unknown;

/** The methods of a response that send something. */
export type ReplyMethodName =
  | "end"
  | "json"
  | "render"
  | "send"
  | "sendFile"
  | "write"
  | "writeHead";

type Replacements = Partial<Record<ReplyMethodName, (original: ReplyMethod) => ReplyMethod>>;

/**
 * Replaces methods of one response, or of the prototype of responses; no other code does so. A replacement calls the
 * method in whose place it is: what the response itself had, or else what its prototype has at that time.
 *
 * @returns a function that undoes this, unless a tool has replaced the method meanwhile, which then still calls it
 */
export const replaceMethods = (target: object, replacements: Replacements): (() => void) => {
  const methods = target as Record<string, ReplyMethod>;
  const undoing = Object.entries(replacements).map(([name, replace]) => {
    const own = Object.getOwnPropertyDescriptor(target, name);
    const original: ReplyMethod = own
      ? (methods[name] as ReplyMethod)
      : function (...args) {
          return Reflect.apply(
            Reflect.get(Object.getPrototypeOf(target) as object, name),
            this,
            args,
          );
        };
    const value = replace(original);
    const field = { configurable: true, writable: true, enumerable: own?.enumerable ?? false };
    // a tool may have fixed all but the value
    Object.defineProperty(
      target,
      name,
      own?.configurable === false ? { value } : { ...field, value },
    );
    return (): void => {
      if (methods[name] !== value) return;
      if (own) Object.defineProperty(target, name, own);
      else Reflect.deleteProperty(target, name);
    };
  });
  return () => {
    for (const undo of undoing) undo();
  };
};

/** Calls a function before the head of a response is written; the function may still set header fields. */
export const beforeHead = (
  target: object,
  act: (response: ServerResponse, status: number) => void,
): (() => void) =>
  replaceMethods(target, {
    writeHead: (original) =>
      function (...head) {
        act(this, Number(head[0]));
        return Reflect.apply(original, this, head);
      },
  });

/** Makes a response count as ended although its end is sent later, so that no error cuts it off until then. */
export const holdEnd = (response: ServerResponse): (() => void) => {
  Object.defineProperty(response, "writableEnded", { configurable: true, value: true });
  return () => void Reflect.deleteProperty(response, "writableEnded");
};
