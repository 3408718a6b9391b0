import { existsSync } from "node:fs";
import { createServer } from "sallyport";
import { findLogin } from "./accounts/find-login.ts";
import { config, routing } from "./api.ts";
import { environment } from "./environment.ts";
import { signatureHeader } from "./orders/payment-signature.ts";
import { pageFolder } from "./routing.ts";
import { takePayments } from "./shop.ts";
import { toRequests, toWelcome } from "./welcome.ts";

// instructions for the person who starts the shop; elsewhere, only the log is written
// oxlint-disable-next-line no-console -- a terminal is no log
const print = process.stdout.isTTY ? console.log : undefined;
const { PORT } = environment;
if (PORT !== 0) print?.(toRequests(`http://localhost:${PORT}`));

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

if (print) {
  // only now, the port is known
  if (PORT === 0) print(toRequests(url));
  print(toWelcome({ url, page: existsSync(pageFolder), login: await findLogin() }));
} else logger.info(`The shop is open at ${url}`, { docs: `${url}/docs` });
