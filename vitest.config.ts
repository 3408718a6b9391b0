import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const alias = {
  "sallyport/openapi": fileURLToPath(new URL("src/openapi/index.ts", import.meta.url)),
  "sallyport/client": fileURLToPath(new URL("src/client/index.ts", import.meta.url)),
  "sallyport/generate-client": fileURLToPath(
    new URL("src/generate-client/index.ts", import.meta.url),
  ),
  "sallyport/tanstack-query": fileURLToPath(
    new URL("src/tanstack-query/index.ts", import.meta.url),
  ),
  "sallyport/testing": fileURLToPath(new URL("src/testing/index.ts", import.meta.url)),
  sallyport: fileURLToPath(new URL("src/index.ts", import.meta.url)),
};
const project = (name: string, include: string[], more: object = {}) => ({
  resolve: { alias },
  test: { name, include, environment: "node", ...more },
});

export default defineConfig({
  test: {
    projects: [
      project("unit", ["src/**/*.test.ts", "example/src/**/*.test.ts"]),
      project("types", [], {
        typecheck: {
          enabled: true,
          only: true,
          include: ["src/**/*.test-d.ts"],
          tsconfig: "./tsconfig.json",
        },
      }),
      project("assumptions", ["test/assumptions/**/*.test.ts"]),
      project("architecture", ["test/architecture.test.ts", "test/error-catalogue.test.ts"]),
      project("http", ["test/http/**/*.test.ts"]),
      project("compiler", ["test/compiler/**/*.test.ts"], {
        testTimeout: 180_000,
        hookTimeout: 180_000,
      }),
      project("openapi", ["test/openapi/**/*.test.ts"], { testTimeout: 60_000 }),
      project("full", ["test/full/**/*.test.ts"], { testTimeout: 900_000, hookTimeout: 120_000 }),
      project(
        "quick-start",
        [
          "test/package/quick-start.test.ts",
          "test/package/testing-guide.test.ts",
          "test/package/cluster-guide.test.ts",
          "test/package/client-guide.test.ts",
          "test/package/openapi-guide.test.ts",
        ],
        { testTimeout: 120_000 },
      ),
      project("package", ["test/package/packed-install.test.ts"], {
        testTimeout: 240_000,
        hookTimeout: 240_000,
      }),
    ],
  },
});
