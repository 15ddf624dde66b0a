import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    // Vitest leaves one core out; of two that is half.
    maxWorkers: "100%",
    // It imports JSON without saying so, which Node refuses.
    server: { deps: { inline: ["@actions/workflow-parser"] } },
  },
});

export default config;
