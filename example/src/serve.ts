import { createServer } from "sallyport";
import { config, routing } from "./api.ts";
import { signatureHeader } from "./orders/payment-signature.ts";
import { openShop, takePayments } from "./shop.ts";

await openShop();
const { servers, logger } = await createServer(config, routing);
const address = servers[0]?.address();
if (typeof address !== "object" || !address) throw new Error("The shop must listen on a port");
const url = `http://localhost:${address.port}`;

takePayments(
  (body, signature) =>
    fetch(`http://127.0.0.1:${address.port}/v2/payments/webhook`, {
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
