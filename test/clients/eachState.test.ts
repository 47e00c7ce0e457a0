import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hallSales } from '../support/hallSales.ts'
import { browsers, pageServer } from './browser.ts'
import { eventually } from './eventually.ts'

const server = await pageServer()
const { visit } = browsers()
const { client, onSale } = hallSales(server)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })
const newFan = () => `fan-${randomUUID().slice(0, 8)}`

/** Opens the page on another device of the fan, who came from another site. */
async function device(url: string, account: string, label: string): Promise<Page> {
  const page = await visit('data:text/html,<h1>Another site</h1>')
  await page.goto(url)
  await page.getByLabel('Account name').fill(account)
  await button(page, label).click()
  return page
}

async function secondTab(of: Page): Promise<Page> {
  const tab = await of.context().newPage()
  await tab.goto(of.url())
  return tab
}

async function leaveAndComeBack(page: Page): Promise<void> {
  await page.goBack()
  await heading(page, 'Another site').waitFor()
  await page.goForward()
}

test('in the line and inside: reload, Back, a second tab and a second device show the same place and the same purchase', async () => {
  const { event, url } = await onSale({ sale: { admissionRate: 0 } })
  const account = newFan()
  const first = await device(url, account, 'Join the line')
  const inLine = (page: Page) => heading(page, 'Your place in the line 1').waitFor()
  await inLine(first)
  await first.reload()
  await inLine(first)
  await leaveAndComeBack(first)
  await inLine(first)
  const tab = await secondTab(first)
  await inLine(tab)
  const second = await device(url, account, 'Join the line')
  await button(second, 'Move my place here').waitFor()
  await inLine(first)

  const otto = { id: 'otto', email: null, emailVerified: false, roles: new Set(['ops'] as const) }
  await server.app.events.setAdmission(otto, { eventId: event.id, rate: 10 })
  const inside = (page: Page) => heading(page, 'How many tickets?').waitFor()
  await Promise.all([first, tab].map(inside))
  await first.reload()
  await inside(first)
  await tab.close()
  await button(second, 'Move my place here').click()
  await inside(second)
  await heading(first, 'Your place is on another device').waitFor()

  await button(second, /^Reserve 2 tickets/).click()
  const held = (page: Page) => heading(page, 'These 2 seats are held for you').waitFor()
  await held(second)
  await second.goBack()
  await heading(second, 'How many tickets instead?').waitFor()
  await second.goForward()
  await held(second)
  // The first device pays. It has no place inside, so it cannot choose others.
  await first.reload()
  await held(first)
  expect(await button(first, 'Choose others').count()).toBe(0)
  await button(first, /^Pay €/).click()
  await heading(first, 'The 2 seats are yours').waitFor()
  await heading(second, 'The 2 seats are yours').waitFor()
  // The turn is over: one press leads to the event, past the seats.
  await second.goBack()
  await heading(second, 'On sale now').waitFor()
  await second.goForward()
  await heading(second, /2 (?:seats are yours|tickets)$/).waitFor()
  await second.goBack()
  await heading(second, 'On sale now').waitFor()
  await leaveAndComeBack(second)
  await heading(second, 'Your 2 tickets').waitFor()
})

test('choosing, holding, paying: a reload loses no seat, Back leads to the seats, and no tab or device offers to pay twice', async () => {
  const { url } = await onSale({ sale: { waitingRoom: false, allowOrphanSeats: true } })
  const account = newFan()
  const page = await device(url, account, 'Choose seats')
  await button(page, 'Choose seats myself').click()
  await button(page, /^Block C/).click()
  const seat = (number: number) => page.getByRole('checkbox', { name: `Row 2, seat ${number},` })
  const isChosen = (number: number) =>
    seat(number)
      .and(page.getByLabel(/chosen by you$/))
      .waitFor()
  await seat(2).click()
  await page.reload()
  await isChosen(2)
  const other = await device(url, account, 'Choose seats')
  await heading(other, 'How many tickets?').waitFor()
  await button(page, /^Reserve 1 seat/).click()
  const held = (of: Page) => heading(of, 'This seat is held for you').waitFor()
  await held(page)

  await page.goBack()
  await page.getByText('What you hold stays yours for').waitFor()
  await isChosen(2)
  await seat(3).click()
  await page.reload()
  await page.getByText('What you hold stays yours for').waitFor()
  await isChosen(2)
  await isChosen(3)
  await page.goForward()
  await held(page)
  const tab = await secondTab(page)
  // The fan looks at the other device again.
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await Promise.all([tab, other].map(held))

  await page.getByLabel(/the bank is slow/).check()
  await button(page, /^Pay €/).click()
  const isPaying = (of: Page) => of.getByText('The bank is processing your payment.').waitFor()
  await Promise.all([page, tab, other].map(isPaying))
  expect(await button(tab, /^Pay €/).count()).toBe(0)
  // Back leads nowhere while the bank decides.
  await page.goBack()
  await eventually(async () => expect(await page.evaluate(() => history.state.shows)).toBe('pay'))
  await page.reload()
  await Promise.all(
    [page, tab, other].map((of) => heading(of, /^The seat is yours|^Your 1 ticket$/).waitFor()),
  )

  await page.goBack()
  await heading(page, 'Block C').waitFor()
  await page.goForward()
  await page.locator('.qr').waitFor()
  await page.reload()
  await heading(page, 'Your 1 ticket').waitFor()
})

test('sold out and on the waitlist: reload, Back, a second tab and a second device show the same entry', async () => {
  const { event, url } = await onSale({ seatingPlan: null, standing: 2, sale: { waitingRoom: false } })
  const buyer = await client()
  const floor = { sectionId: event.sections[0]?.id ?? '', quantity: 2 }
  const hold = await buyer.holds.hold(event.id, { generalAdmission: floor })
  if (hold.__typename !== 'Hold') throw new Error(hold.__typename)
  await buyer.checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })

  const account = newFan()
  const page = await device(url, account, 'Join the waitlist')
  const listed = (of: Page) => heading(of, 'You are on the waitlist for 2 tickets').waitFor()
  await listed(page)
  await page.reload()
  await listed(page)
  await leaveAndComeBack(page)
  await listed(page)
  const tab = await secondTab(page)
  await listed(tab)
  const second = await device(url, account, 'Join the waitlist')
  await listed(second)
  // Leaving on one device is seen on the other one and in the tab.
  await button(second, 'Leave the waitlist').click()
  await Promise.all([page, tab].map((of) => button(of, 'Join the waitlist').waitFor()))
  await page.reload()
  await button(page, 'Join the waitlist').waitFor()
})
