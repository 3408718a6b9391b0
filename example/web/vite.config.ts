import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  // `npm run dev` serves the page on a port of its own, and passes requests for the API to the server of `npm start`
  server: { proxy: { "/v1": "http://localhost:8090", "/docs": "http://localhost:8090" } },
});
