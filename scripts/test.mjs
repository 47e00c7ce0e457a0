import { runOnPinnedNode, setup } from './setup.mjs'

try {
  await setup()
  await runOnPinnedNode('scripts/gates.ts', process.argv.slice(2))
} catch (error) {
  process.stdout.write(`${error.message}\n\n0 passed, 1 failed\n`)
  process.exitCode = 1
}
