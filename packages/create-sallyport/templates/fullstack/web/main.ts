import { createApiClient } from "./client.ts";
import { showNotes } from "./notes-page.ts";

const main = document.querySelector("main");
if (main) await showNotes(main, createApiClient({ baseUrl: location.origin }));
