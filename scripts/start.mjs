import { runOnPinnedNode, setup } from './setup.mjs'

try {
  await setup()
  await runOnPinnedNode('embedded/start.ts', process.argv.slice(2))
} catch (error) {
  process.stderr.write(`\n${error.message}\n`)
  process.exitCode = 1
}
