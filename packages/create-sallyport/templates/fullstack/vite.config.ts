import { defineConfig } from "vite";
import { environment } from "./src/environment.ts";

export default defineConfig({
  root: "web",
  // the server of the API serves this folder
  build: { outDir: "../dist/page", emptyOutDir: true },
  server: { proxy: { "/v1": `http://localhost:${environment.PORT}` } },
});
