import { createServer } from "sallyport";
import { config, routing } from "./api.ts";
import { signatureHeader } from "./orders/payment-signature.ts";
import { takePayments } from "./shop.ts";

const { url, logger } = await createServer(config, routing);

takePayments(
  (body, signature) =>
    fetch(`${url}/v2/payments/webhook`, {
      method: "POST",
      headers: { "content-type": "application/json", [signatureHeader]: signature },
      body,
    }),
  logger,
);

// oxlint-disable-next-line no-console -- instructions for the person who started the shop
console.log(`
The shop is open at ${url}, and its documentation at ${url}/docs.

Try:

  curl -s '${url}/v2/books?q=austen&sort=price&limit=1'
  curl -s '${url}/v2/books?limit=0'
  curl -s ${url}/v2/cart

Press Ctrl-C to stop.
`);
