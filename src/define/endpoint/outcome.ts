import type { Reply } from "../../wire/reply/send-reply.ts";

/** The outcome of stages of which one has sent the response, or is about to. */
export const sent = Object.freeze({ kind: "sent" } as const);

/** The outcome of stages for whose output nobody waits any longer. */
export const left = Object.freeze({ kind: "left" } as const);

/** What became of the stages of an endpoint, unless they have failed. */
export type Outcome =
  | { readonly kind: "output"; readonly output: unknown }
  /** A stage replies in place of the result handler; the output remains known. */
  | {
      readonly kind: "reply";
      readonly output: unknown;
      readonly reply: Reply & { readonly status: number };
    }
  | typeof sent
  | typeof left;
