import { eq } from "drizzle-orm";
import { isPassword } from "./accounts/passwords.ts";
import { database } from "./database/connection.ts";
import { accounts } from "./database/tables.ts";
import { environment } from "./environment.ts";

/** Finds the login of the administrator, to be shown in a terminal. */
export const findLogin = async (): Promise<string> => {
  const { ADMIN_EMAIL, ADMIN_PASSWORD, DATA_FOLDER } = environment;
  const isOwn = eq(accounts.email, ADMIN_EMAIL.toLowerCase());
  const [found] = await database().select().from(accounts).where(isOwn);
  if (!(await isPassword(ADMIN_PASSWORD, found?.password)))
    return `${ADMIN_EMAIL}, with the password of the first start; to begin again, delete ${DATA_FOLDER}`;
  const isGiven = (process.env["ADMIN_PASSWORD"] ?? "") !== "";
  return `${ADMIN_EMAIL}, password ${isGiven ? "as in ADMIN_PASSWORD" : ADMIN_PASSWORD}`;
};

/** Draws a frame around lines. */
const frame = (lines: readonly string[]): string => {
  const width = Math.max(...lines.map(({ length }) => length));
  const bar = "─".repeat(width + 4);
  const rows = lines.map((line) => `│  ${line.padEnd(width)}  │`);
  return [`╭${bar}╮`, ...rows, `╰${bar}╯`].join("\n");
};

/** Returns what a person reads in a terminal when the shop is open. */
export const toWelcome = (shop: {
  readonly url: string;
  /** Whether there is a page. */
  readonly page: boolean;
  readonly login: string;
}): string => `
${frame([
  `Page            ${shop.page ? shop.url : "not built: cd example/web && npm ci && npm run build"}`,
  `Documentation   ${shop.url}/docs`,
  `Administrator   ${shop.login}`,
])}

Try:

  curl -s '${shop.url}/v2/books?q=austen&sort=price&limit=1'
  curl -s '${shop.url}/v2/books?limit=0'
  curl -s ${shop.url}/v2/cart

Press Ctrl-C to stop.
`;
