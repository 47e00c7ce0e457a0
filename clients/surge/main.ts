// npm run surge: simulates a crowd against a running system and checks that its sale adds up. Flags: options.ts.
import { setMaxListeners } from 'node:events'
import { reconcile } from '../sdk/admin.ts'
import { ApiError, ConnectionLost, type Sale } from '../sdk/index.ts'
import { audit } from './audit.ts'
import { adminClient, chooseEvent, SurgeError } from './chooseEvent.ts'
import { runCrowd } from './crowd.ts'
import { BadOption, HELP, type Options, readOptions } from './options.ts'
import { showProgress } from './progress.ts'
import { createRecord } from './record.ts'
import { report } from './report.ts'

async function main(options: Options): Promise<number> {
  const { fans, url, seed, minutes, settleSeconds } = options
  const admin = await adminClient(url)
  const event = await chooseEvent(admin, options)
  const opensIn = admin.clock.until(event.sale.opensAt) / 60_000
  if (opensIn > minutes) {
    throw new SurgeError(
      `${event.slug} goes on sale in ${Math.ceil(opensIn)} minutes, but the crowd stays only ${minutes}. Use a larger --minutes.`,
    )
  }
  const before = await reconcile(admin.client, event.id)
  let sale: Sale = event.sale
  process.stdout.write(
    `${fans.toLocaleString('en')} people come to ${event.name} (${url}/e/${event.slug}): ${sale.available.toLocaleString('en')} ` +
      `of ${before.capacity.toLocaleString('en')} seats are free. Seed ${seed}.\n`,
  )
  const record = createRecord(fans)
  const timeUp = AbortSignal.timeout(minutes * 60_000)
  // Every fan listens to this signal.
  setMaxListeners(0, timeUp)
  const stopProgress = showProgress(record, before.capacity - before.notForSale, () => sale)
  try {
    await runCrowd(options, event, record, timeUp, (now) => {
      sale = now
    })
  } finally {
    stopProgress()
  }
  const result = await audit(admin, event.id, before, record, sale.state === 'SOLD_OUT', settleSeconds)
  process.stdout.write(report(record, result, sale, fans))
  return result.faults.length ? 1 : 0
}

let options: Options | null = null
try {
  options = readOptions(process.argv.slice(2))
  if (options) process.exitCode = await main(options)
  else process.stdout.write(HELP)
} catch (error) {
  if (error instanceof BadOption) {
    process.stderr.write(`${error.message}\nnpm run surge -- --help lists every flag.\n`)
    process.exitCode = 2
  } else if (error instanceof SurgeError) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  } else if (error instanceof ConnectionLost) {
    process.stderr.write(
      `No service answers at --url ${options?.url}. Is Fairgate running there (npm start)?\n`,
    )
    process.exitCode = 2
  } else if (error instanceof ApiError) {
    process.stderr.write(`${error.code}: ${error.message}\n`)
    process.exitCode = 2
  } else throw error
}
