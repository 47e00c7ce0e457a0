import { main, runOnPinnedNode, setup } from './setup.mjs'

await main(async () => {
  await setup()
  await runOnPinnedNode('scripts/gates.ts', process.argv.slice(2))
})
