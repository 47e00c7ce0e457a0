// What:     the server's memory for an idle subscriber of a section.
// Limit:    a connection of bare `ws`.
// Target:   ratio at most 1.5.
// Measured:
import { setTimeout as sleep } from 'node:timers/promises'
import { compare } from './support/compare.ts'
import { type Served, startStock } from './support/processes.ts'
import { startSectionFeed } from './support/sectionFeed.ts'
import { openSocketGroup } from './support/socketGroup.ts'

const IDLE = 4_000

const { api, follow, stop } = await startSectionFeed()
const bare = await startStock('sockets')

async function measure(server: Served, messages: readonly object[]): Promise<number> {
  await sleep(500)
  const before = await server.memory()
  const sockets = await openSocketGroup(server.url, IDLE, messages)
  await sockets.until(messages.length * IDLE)
  await sleep(1_000)
  const bytes = (await server.memory()) - before
  sockets.close()
  await sleep(500)
  return bytes / IDLE
}

await compare({
  title: 'memory of an idle subscriber',
  unit: 'bytes',
  atMost: 1.5,
  rounds: 3,
  limit: { name: 'a connection of ws', run: () => measure(bare, []) },
  ours: { name: 'a subscriber of seatSection', run: () => measure(api, follow) },
})

await bare.stop()
await stop()
