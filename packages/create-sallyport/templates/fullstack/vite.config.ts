import { defineConfig } from "vite";

const api = `http://localhost:${process.env["PORT"] ?? 8090}`;

export default defineConfig({
  root: "web",
  // the server of the API serves this folder
  build: { outDir: "../dist/page", emptyOutDir: true },
  server: { proxy: { "/v1": api } },
});
