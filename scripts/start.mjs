import { main, runOnPinnedNode, setup } from './setup.mjs'

await main(async () => {
  await setup()
  await runOnPinnedNode('embedded/start.ts', process.argv.slice(2))
})
