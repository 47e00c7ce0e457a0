// What somebody who follows a section and hears nothing holds of the server's memory, against a connection of bare `ws`.
import { setTimeout as sleep } from 'node:timers/promises'
import { compare } from './support/compare.ts'
import { type Served, startStock } from './support/processes.ts'
import { startSectionFeed } from './support/sectionFeed.ts'
import { openSocketGroup } from './support/socketGroup.ts'

const IDLE = 4_000

const { api, follow, stop } = await startSectionFeed()
const bare = await startStock('sockets')

async function weigh(server: Served, words: readonly object[]): Promise<number> {
  await sleep(500)
  const before = await server.memory()
  const crowd = await openSocketGroup(server.url, IDLE, words)
  await crowd.until(words.length * IDLE)
  await sleep(1_000)
  const bytes = (await server.memory()) - before
  crowd.close()
  await sleep(500)
  return bytes / IDLE
}

await compare({
  title: 'memory of an idle follower',
  unit: 'bytes',
  atMost: 1.5,
  rounds: 3,
  limit: { name: 'a connection of ws', run: () => weigh(bare, []) },
  ours: { name: 'a follower of seatSection', run: () => weigh(api, follow) },
})

await bare.stop()
await stop()
