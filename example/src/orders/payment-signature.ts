import { createHmac, timingSafeEqual } from "node:crypto";
import { environment } from "../environment.ts";

const sign = (time: string, body: string | Buffer): Buffer =>
  createHmac("sha256", environment.PAYMENT_SECRET).update(`${time}.`).update(body).digest();

/** The header field with the signature of a webhook. */
export const signatureHeader = "x-payment-signature";

/** How old a signature may be, in seconds: a webhook that someone recorded is refused later. */
const maxAge = 300;

/** Signs the body of a webhook and the time, in seconds. */
export const toSignature = (body: string, time: number = Math.floor(Date.now() / 1000)): string =>
  `t=${time},v1=${sign(String(time), body).toString("hex")}`;

/** Checks the signature of a webhook. */
export const isSigned = (body: Buffer, signature: string): boolean => {
  const [, time, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (time === undefined || hex === undefined) return false;
  if (Math.abs(Date.now() / 1000 - Number(time)) > maxAge) return false;
  return timingSafeEqual(sign(time, body), Buffer.from(hex, "hex"));
};
