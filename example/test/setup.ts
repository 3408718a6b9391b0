import { join } from "node:path";
import { inject } from "vitest";

// before the shop reads its environment; the tests never touch the data of `npm start`
Object.assign(process.env, {
  // each worker has a database of its own
  DATA_FOLDER: join(inject("shopFolder"), String(process.env["VITEST_POOL_ID"])),
  LOG_LEVEL: "silent",
  // payments are asked for at once
  CANCEL_TIME: "0",
  ADMIN_PASSWORD: "the administrator's",
  // each customer of the tests has an address of their own
  PROXIES: "1",
});
delete process.env["DATABASE_URL"];
delete process.env["REDIS_URL"];
