import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const api = "http://localhost:8090";

export default defineConfig({
  plugins: [react()],
  build: {
    rolldownOptions: {
      // packages change less often than the page, so browsers keep them for longer
      output: { codeSplitting: { groups: [{ name: "packages", test: /node_modules/ }] } },
    },
  },
  // `npm run dev` serves the page on a port of its own, and passes requests for the API to the server of `npm start`
  server: { proxy: { "/v2": api, "/admin": api, "/docs": api } },
});
