import { join } from "node:path";
import { createConfig, ServeStatic, type Routing } from "sallyport";
import { closeDatabase, database, openDatabase } from "./database.ts";
import { environment } from "./environment.ts";
import { addNote, listNotes, removeNote } from "./notes.ts";

export const routing = {
  v1: { notes: { get: listNotes, post: addNote, "delete :id": removeNote } },
  // the page, once it has been built
  "": new ServeStatic(join(import.meta.dirname, "page"), { access: "public" }),
} satisfies Routing;

export const config = createConfig({
  http: { listen: environment.PORT },
  cors: false,
  // a route that is neither public nor protected keeps the server from starting
  access: "explicit",
  docs: { ui: "swagger", access: "public" },
  health: {
    access: "public",
    checks: { database: async () => void (await database().query("select 1")) },
  },
  resources: [{ name: "database", start: openDatabase, stop: closeDatabase }],
  gracefulShutdown: true,
});
