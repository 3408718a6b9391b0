import type { RequestState } from "./request-state.ts";

/** The methods that tools replace to hold a response back, for example until a session is saved. */
export const senders = ["end", "json", "send"] as const;

/**
 * Makes a response count as being sent once the handler has called one of these methods, although the tool sends it
 * later; returns a function that ends this.
 */
export const watchSenders = (state: RequestState): (() => void) | undefined => {
  const { response } = state;
  const own = senders.filter(
    (name) => Object.getOwnPropertyDescriptor(response, name)?.writable === true,
  );
  if (own.length === 0) return undefined;
  const methods: Record<string, unknown> = response as never;
  const watched = own.map((name) => {
    const method = methods[name];
    const watching = (...args: unknown[]): unknown => {
      const { isSending } = state;
      state.isSending = true;
      try {
        return Reflect.apply(method as () => unknown, response, args);
      } catch (error) {
        state.isSending = isSending;
        throw error;
      }
    };
    methods[name] = watching;
    return { name, method, watching };
  });
  return () => {
    for (const { name, method, watching } of watched)
      if (methods[name] === watching) methods[name] = method;
  };
};
