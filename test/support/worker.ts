/*
 * A worker process that stops for good at one point, prints "here", and waits to be killed.
 *
 * It loads the app at once and reads the database's address, Redis' address and the point as a line of JSON.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { startJobs } from '../../src/jobs/index.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { QUICK, testJobApp } from './jobs.ts'

const [line] = await once(createInterface(process.stdin), 'line')
// The test process has ended.
process.stdin.once('close', () => process.exit(1))
const [databaseUrl, redisUrl, point]: [string, string, string] = JSON.parse(line)

let isHere = false

/** Never returns. Several events may come here. The timer keeps the process alive and its lock renewed, as in a job that hangs. */
function here(): Promise<never> {
  if (!isHere) process.stdout.write('here\n')
  isHere = true
  return new Promise(() => setInterval(() => {}, 1_000))
}

// biome-ignore lint/suspicious/noExplicitAny: any method of any part
type Parts = Record<string, Record<string, (...args: any[]) => Promise<unknown>>>

/** Makes `part.method` stop before or after its work. */
function stopAround(parts: object, part: string, method: string, when: string) {
  const owner = (parts as Parts)[part] as Parts[string]
  const original = owner[method] as Parts[string][string]
  owner[method] = async (...args) => {
    if (when === 'before') await here()
    await original(...args)
    return here()
  }
}

const [when, part, method] = point.split(' ') as [string, string, string]
const app = await testJobApp(databaseUrl, redisUrl, (provider) => {
  const parts = { provider: { ...provider } as PaymentProvider }
  if (part === 'provider') stopAround(parts, part, method, when)
  return parts.provider
})
if (part !== 'provider') stopAround(app, part, method, when)
await startJobs(app, { timings: QUICK })
