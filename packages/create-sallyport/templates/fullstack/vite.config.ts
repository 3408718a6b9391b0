import { defineConfig, loadEnv } from "vite";

export default defineConfig(({ mode }) => {
  // the port alone: a page is built without the settings of the server
  const { PORT = "8090" } = loadEnv(mode, process.cwd(), "PORT");
  return {
    root: "web",
    // the server of the API serves this folder
    build: { outDir: "../dist/page", emptyOutDir: true },
    server: { proxy: { "/v1": `http://localhost:${PORT}` } },
  };
});
