import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global.ts',
    pool: 'forks',
    // Each file brings its own load: more than two at once on two cores measure the scheduler.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    // Tests run on Node itself, as the app does: Vite's own loader brings a second graphql.
    experimental: { viteModuleRunner: false },
  },
})
