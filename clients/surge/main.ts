// npm run surge: simulates a crowd against a running system and checks that its sale adds up. Flags: options.ts.
import { setMaxListeners } from 'node:events'
import { reconcile } from '../sdk/admin.ts'
import { ApiError, ConnectionLost, type EventPage, type Fairgate, type Sale } from '../sdk/index.ts'
import { audit } from './audit.ts'
import { adminClient, chooseEvent, hoardedEvent, SurgeError } from './chooseEvent.ts'
import { comparison, type HoardedRun } from './comparison.ts'
import { runCrowd } from './crowd.ts'
import { createHoarding } from './hoarder.ts'
import { BadOption, HELP, type Options, readOptions } from './options.ts'
import { showProgress } from './progress.ts'
import { type CrowdRecord, createRecord } from './record.ts'
import { report } from './report.ts'

async function main(options: Options): Promise<number> {
  const admin = await adminClient(options.url)
  if (options.hoarders > 0) return rehearseHoarding(admin, options)
  return (await rehearse(admin, options, await chooseEvent(admin, options))).code
}

/** Two runs: without and with the limits on one address or device. */
async function rehearseHoarding(admin: Fairgate, options: Options): Promise<number> {
  const runs: HoardedRun[] = []
  let code = 0
  for (const [name, limited] of [
    ['without limits', false],
    ['with limits', true],
  ] as const) {
    process.stdout.write(`\n${name[0]?.toUpperCase()}${name.slice(1)} on one address or device\n`)
    const run = await rehearse(admin, options, await hoardedEvent(admin, limited))
    runs.push({ name, ...run })
    code = Math.max(code, run.code)
  }
  process.stdout.write(`\n${comparison(runs, options.hoarders)}`)
  return code
}

type Rehearsal = Omit<HoardedRun, 'name'> & { readonly code: number }

async function rehearse(admin: Fairgate, options: Options, event: EventPage): Promise<Rehearsal> {
  const { fans, url, seed, minutes, settleSeconds } = options
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
  const hoarding = createHoarding()
  const timeUp = AbortSignal.timeout(minutes * 60_000)
  // Every fan listens to this signal.
  setMaxListeners(0, timeUp)
  const seats = before.capacity - before.notForSale
  const stopProgress = showProgress(record, seats, () => sale)
  const opened = performance.now() + Math.max(0, admin.clock.until(event.sale.opensAt))
  const course: number[] = []
  const timer = setInterval(() => {
    if (performance.now() > opened) course.push(ticketsOf(record))
  }, 1_000)
  try {
    const onSale = (now: Sale) => {
      sale = now
    }
    await runCrowd(options, event, record, timeUp, onSale, hoarding)
  } finally {
    clearInterval(timer)
    stopProgress()
  }
  for (const [message, accounts] of hoarding.errors)
    process.stderr.write(`${accounts} hoarders stopped: ${message}\n`)
  const result = await audit(admin, event.id, before, record, sale.state === 'SOLD_OUT', settleSeconds)
  process.stdout.write(report(record, result, sale, fans))
  return {
    seats,
    fans,
    buyers: record.endings.get('bought') ?? 0,
    bought: ticketsOf(record),
    course,
    hoarding,
    code: result.faults.length ? 1 : 0,
  }
}

function ticketsOf({ orders }: CrowdRecord): number {
  return orders.reduce((sum, { tickets }) => sum + tickets.length, 0)
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
