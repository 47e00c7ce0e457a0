import { defineConfig } from 'vitest/config'
import { LONG } from './test/support/long.ts'
import { LongestFirst } from './test/support/order.ts'

// scripts/gates.ts sets it for a run in random order.
const { ORDER_SEED } = process.env

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global.ts',
    setupFiles: 'test/support/eachFile.ts',
    pool: 'forks',
    // An import of the app costs a second of CPU: a process does it once, and not for each file.
    isolate: false,
    maxWorkers: 8,
    sequence: ORDER_SEED
      ? { shuffle: { files: true, tests: true }, seed: Number(ORDER_SEED) }
      : { sequencer: LongestFirst },
    testTimeout: LONG ? 600_000 : 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    // Tests run on Node itself, as the app does: Vite's own loader brings a second graphql.
    experimental: { viteModuleRunner: false },
  },
})
