import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { buildPage } from '../../embedded/page.ts'
import { freePort } from '../../embedded/processes.ts'
import { createApp } from '../../src/app.ts'
import { readEnv } from '../../src/env.ts'
import { startJobs } from '../../src/jobs/index.ts'
import { apiProcesses, writeKeys } from '../support/apiProcess.ts'
import { testDatabase } from '../support/database.ts'
import { type HallSaleOptions, hallSales } from '../support/hallSales.ts'
import { LONG } from '../support/long.ts'
import { testRedis } from '../support/redis.ts'
import { browsers } from './browser.ts'
import { eventually } from './eventually.ts'

// The API is a process that the test kills. The jobs run on, as they do in production.
await buildPage(fileURLToPath(new URL('../..', import.meta.url)))
const [db, redis, keysFile, port] = await Promise.all([testDatabase(), testRedis(), writeKeys(), freePort()])
const url = `http://127.0.0.1:${port}`
const place = { PORT: String(port), PUBLIC_URL: url }
const startApi = await apiProcesses(db.url, redis.url, place)
const app = await createApp(
  readEnv({
    EMBEDDED: 'true',
    DATABASE_URL: db.url,
    REDIS_URL: redis.url,
    KEYS_FILE: keysFile,
    LOG_LEVEL: 'silent',
    ...place,
  }),
)
const jobs = await startJobs(app)
afterAll(async () => {
  await jobs.close(5_000)
  await app.close()
})
let api = await startApi({ keysFile })
const { visit } = browsers()

/** How long the server is away: a deployment that fails, and in npm run test:long a machine that is replaced. */
const AWAY_MS = LONG ? 60_000 : 10_000

const { onSale: sell } = hallSales({ url, db })
const onSale = (sale: HallSaleOptions['sale']) => sell({ sale: { holdSeconds: 600, ...sale } })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const lost = (page: Page) => page.locator('.notice.lost')

async function arrive(address: string, label: string): Promise<Page> {
  const page = await visit(address)
  await page.getByLabel('Account name').fill(`fan-${randomUUID().slice(0, 8)}`)
  await button(page, label).click()
  return page
}

async function choose(address: string, row: string): Promise<Page> {
  const page = await arrive(address, 'Choose seats')
  await button(page, 'Choose seats myself').click()
  await button(page, /^Block C/).click()
  await page.getByRole('checkbox', { name: `${row}, seat 1,` }).click()
  await button(page, /^Reserve 1 seat/).waitFor()
  return page
}

async function hold(address: string): Promise<Page> {
  const page = await arrive(address, 'Choose seats')
  await button(page, /^Reserve 2 tickets/).click()
  await heading(page, 'These 2 seats are held for you').waitFor()
  return page
}

async function buy(page: Page) {
  await button(page, /^Pay €/).click()
  await page.locator('.qr').nth(1).waitFor()
}

/** The bank takes three seconds, so the connection is lost while it decides. */
async function payAtSlowBank(page: Page) {
  await page.getByLabel(/the bank is slow/).check()
  await button(page, /^Pay €/).click()
  await page.getByText('The bank is processing your payment.').waitFor()
}

/** What a page must still say while it has no connection, by the fan's state. */
const SAYS = {
  line: 'Your place in the line is kept.',
  called: 'Your place in the line is kept.',
  choosing: 'What you chose is not held yet',
  held: 'Your tickets are held until your time to pay is over.',
  paying: 'Your tickets are held until your time to pay is over.',
  tickets: 'This page tries again by itself.',
} as const
type State = keyof typeof SAYS

const each = (pages: Readonly<Record<State, Page>>, work: (page: Page, state: State) => Promise<unknown>) =>
  Promise.all(Object.entries(pages).map(([state, page]) => work(page, state as State)))

test('without a connection and without a server, a page in each state says so, and goes on by itself without a loss', async () => {
  const [line, seats] = await Promise.all([
    onSale({ admissionRate: 0 }),
    onSale({ waitingRoom: false, allowOrphanSeats: true }),
  ])
  const called = await onSale({ admissionRate: 0 })
  const [waiting, next, choosing, held, paying, payingLater, tickets] = await Promise.all([
    arrive(line.url, 'Join the line'),
    arrive(called.url, 'Join the line'),
    choose(seats.url, 'Row 2'),
    hold(seats.url),
    hold(seats.url),
    hold(seats.url),
    hold(seats.url),
  ])
  for (const page of [waiting, next]) await heading(page, 'Your place in the line 1').waitFor()
  await buy(tickets)
  const codes = await tickets.locator('.stub code').allTextContents()
  const pdf = tickets.getByRole('link', { name: 'Save as PDF' })
  await pdf.waitFor()
  const pages = { line: waiting, called: next, choosing, held, paying, tickets }

  async function expectLost() {
    await each(pages, async (page, state) => {
      await lost(page).getByText('No connection.').waitFor()
      await lost(page).getByText(SAYS[state]).waitFor()
    })
    expect(await pdf.count()).toBe(0)
    expect(await tickets.locator('.stub code').allTextContents()).toEqual(codes)
  }
  async function expectBack() {
    await each(pages, (page) => lost(page).waitFor({ state: 'detached' }))
    await heading(waiting, 'Your place in the line 1').waitFor()
    await button(choosing, /^Reserve 1 seat/).waitFor()
    await heading(held, 'These 2 seats are held for you').waitFor()
    await heading(pages.paying, 'The 2 seats are yours').waitFor()
    await pdf.waitFor()
  }

  // Each fan's own connection.
  await payAtSlowBank(paying)
  await each(pages, (page) => page.context().setOffline(true))
  await expectLost()
  await each(pages, (page) => page.context().setOffline(false))
  await expectBack()

  // The server.
  pages.paying = payingLater
  await payAtSlowBank(payingLater)
  await api.kill()
  const back = Date.now() + AWAY_MS
  // The line moves on without the API: the jobs call places.
  const ops = { id: 'ops', email: null, emailVerified: false, roles: new Set(['ops'] as const) }
  await app.events.setAdmission(ops, { eventId: called.event.id, rate: 10 })
  await expectLost()
  await new Promise((resolve) => setTimeout(resolve, back - Date.now()))
  await expectLost()
  api = await startApi({ keysFile })
  await expectBack()
  await heading(next, 'How many tickets?').waitFor()

  // What the fans had is still theirs.
  await button(choosing, /^Reserve 1 seat/).click()
  await heading(choosing, 'This seat is held for you').waitFor()
  await buy(held)
  await eventually(async () => {
    const [sold] = await db.sql<{ count: number }>(
      `select count(*)::int as count from seats where event_id = $1 and status = seat_status('SOLD')`,
      [seats.event.id],
    )
    expect(sold?.count).toBe(8)
  })
})
