import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// before the shop reads its environment; the tests never touch the data of `npm start`
Object.assign(process.env, {
  DATA_FOLDER: mkdtempSync(join(tmpdir(), "book-shop-")),
  LOG_LEVEL: "silent",
  ADMIN_PASSWORD: "the administrator's",
  // each customer of the tests has an address of their own
  PROXIES: "1",
});
delete process.env["DATABASE_URL"];
delete process.env["REDIS_URL"];
