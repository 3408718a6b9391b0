import { getRawBody } from "sallyport";
import { z } from "zod";
import { inTransaction, publicFactory } from "../factories.ts";
import { publishOrder } from "./order-events.ts";
import { isSigned, signatureHeader } from "./payment-signature.ts";
import { settlePayment } from "./payments.ts";

export const receivePayment = publicFactory.addMiddleware(inTransaction).buildVoid({
  method: "post",
  tag: "payments",
  shortDescription: "Receives the outcome of a payment from the provider",
  errors: { unsigned: { status: 401, description: "The signature is wrong or too old" } },
  headers: z.object({
    [signatureHeader]: z
      .string()
      .default("")
      .describe("t=<seconds>,v1=<hex of HMAC-SHA256 over the seconds, a dot and the body>"),
  }),
  keepRawBody: true,
  input: z.object({ payment: z.uuid(), status: z.enum(["succeeded", "failed"]) }),
  handler: async ({ input, headers, ctx: { tx, afterCommit }, errors, request, logger }) => {
    if (!isSigned(getRawBody(request) ?? Buffer.alloc(0), headers[signatureHeader]))
      throw errors.unsigned();
    const changed = await settlePayment(tx, input.payment, input.status, logger);
    if (changed) afterCommit(() => publishOrder(changed));
  },
});
