import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "web/**/*.test.ts"],
    env: { DATABASE: "memory://" },
    // how long the page may take on a busy machine
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
  },
});
