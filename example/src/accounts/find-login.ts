import { eq } from "drizzle-orm";
import { database } from "../database/connection.ts";
import { accounts } from "../database/tables.ts";
import { environment } from "../environment.ts";
import { isPassword } from "./passwords.ts";

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
