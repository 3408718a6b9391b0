import type { Logger } from "sallyport";
import { toSignature } from "./payment-signature.ts";

/** What the provider is asked to charge. */
export interface Charge {
  /** The id of the payment; a charge that is repeated under the same id is made once. */
  readonly id: string;
  /** In cents. */
  readonly amount: number;
}

/** Asks for a charge; the outcome follows as a webhook. */
export type PaymentProvider = (charge: Charge) => Promise<void>;

/** Delivers a webhook, as the provider would. */
export type Deliver = (body: string, signature: string) => Promise<Response>;

/** Creates a provider that is asked over HTTP. */
export const createHttpProvider =
  (url: string): PaymentProvider =>
  async ({ id, amount }) => {
    const { ok, status } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": id },
      body: JSON.stringify({ payment: id, amount, currency: "EUR" }),
      signal: AbortSignal.timeout(10_000),
    });
    if (!ok) throw new Error(`The payment provider answered with ${status}`);
  };

/** Creates a provider that moves no money: it accepts every charge, and delivers a signed webhook a moment later. */
export const createSimulatedProvider = (deliver: Deliver, logger: Logger): PaymentProvider => {
  const seen = new Set<string>();
  const send = async (id: string): Promise<void> => {
    const body = JSON.stringify({ payment: id, status: "succeeded" });
    try {
      const { ok, status } = await deliver(body, toSignature(body));
      if (!ok) throw new Error(`The shop answered with ${status}`);
    } catch (error) {
      logger.warn("A webhook is delivered when the shop asks again", { payment: id, error });
      seen.delete(id);
    }
  };
  return ({ id }) => {
    if (!seen.has(id)) setTimeout(() => void send(id), 500).unref();
    seen.add(id);
    return Promise.resolve();
  };
};
