// Loaded into a measured server before its own code: tells what it has used of a processor, in microseconds, and what it
// holds of memory, in bytes, once garbage is collected.
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'

// Code that has not run for a while is thrown away at a collection: megabytes, that nothing else has let go of.
setFlagsFromString('--no-flush-bytecode')

/** Bytes: less than this between two collections is none. */
const STILL = 50_000

process.on('message', (question) => {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system })
  }
  if (question === 'memory') void settled().then((memory) => process.send?.({ memory }))
})
process.channel?.unref()

/** What a heap snapshot collects: ordinary collections leave code and caches for a while. */
function collect(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** What hangs on handles of closed connections is let go of in turns of the event loop, and collected after them. */
async function settled(): Promise<number> {
  let held = Number.POSITIVE_INFINITY
  for (let last = held; ; last = held) {
    collect()
    await sleep(50)
    collect()
    const { heapUsed, external } = process.memoryUsage()
    held = heapUsed + external
    if (last - held < STILL) return held
  }
}
