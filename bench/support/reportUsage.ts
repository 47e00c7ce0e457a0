// Preloaded into a measured server: reports its processor time in microseconds, and its memory in bytes after a garbage
// collection.
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'

// Otherwise a collection discards megabytes of bytecode that has not run for a while, which is no freed data.
setFlagsFromString('--no-flush-bytecode')

/** A smaller difference in bytes between two collections counts as stable. */
const STABLE = 50_000

process.on('message', (question) => {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpu: user + system })
  }
  if (question === 'memory') void settled().then((memory) => process.send?.({ memory }))
})
process.channel?.unref()

/** Collects as thoroughly as a heap snapshot: an ordinary collection keeps code and caches for a while. */
function collect(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Collects until the memory is stable: handles of closed connections free their data in later loop iterations. */
async function settled(): Promise<number> {
  let held = Number.POSITIVE_INFINITY
  for (let last = held; ; last = held) {
    collect()
    await sleep(50)
    collect()
    const { heapUsed, external } = process.memoryUsage()
    held = heapUsed + external
    if (last - held < STABLE) return held
  }
}
