import { existsSync } from "node:fs";
import { createServer } from "sallyport";
import { findLogin } from "./accounts/find-login.ts";
import { config, routing } from "./api.ts";
import { signatureHeader } from "./orders/payment-signature.ts";
import { pageFolder } from "./routing.ts";
import { takePayments } from "./shop.ts";
import { toWelcome } from "./welcome.ts";

const { url = "", logger } = await createServer(config, routing);

takePayments(
  (body, signature) =>
    fetch(`${url}/v2/payments/webhook`, {
      method: "POST",
      headers: { "content-type": "application/json", [signatureHeader]: signature },
      body,
    }),
  logger,
);

if (process.stdout.isTTY)
  // oxlint-disable-next-line no-console -- instructions for the person who started the shop
  console.log(toWelcome({ url, page: existsSync(pageFolder), login: await findLogin() }));
else logger.info(`The shop is open at ${url}`, { docs: `${url}/docs` });
