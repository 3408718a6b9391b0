import { PGlite } from "@electric-sql/pglite";
import { environment } from "./environment.ts";

const tables = `
  create table if not exists notes (
    id integer primary key generated always as identity,
    text text not null unique,
    created_at timestamptz not null default now()
  );
`;

let opened: PGlite | undefined;

export const openDatabase = async (): Promise<void> => {
  opened = await PGlite.create(environment.DATABASE);
  await opened.exec(tables);
};

export const closeDatabase = async (): Promise<void> => {
  await opened?.close();
  opened = undefined;
};

/** The database, which is open while the server runs. */
export const database = (): PGlite => {
  if (!opened) throw new Error("The database is not open");
  return opened;
};
