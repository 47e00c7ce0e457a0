import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { runOut } from '../support/checkout.ts'
import { fakeStripe } from '../support/fakeStripe/index.ts'
import { type HallSaleOptions, hallSales } from '../support/hallSales.ts'
import { browsers, expectAccessible, pageServer, tabTo } from './browser.ts'
import { eventually } from './eventually.ts'
import { stripeJs } from './stripeJs.ts'

const server = await pageServer()
const stripe = await fakeStripe()
const stripeServer = await pageServer({
  STRIPE_SECRET_KEY: stripe.secretKey,
  STRIPE_PUBLISHABLE_KEY: 'pk_test_page',
  STRIPE_WEBHOOK_SECRET: 'whsec_page',
  STRIPE_API_URL: stripe.url,
})
const { visit } = browsers()

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

/** A sale without a waiting room. */
const sales = (of = server) => {
  const { client, onSale } = hallSales(of)
  return {
    client,
    onSale: (options: HallSaleOptions = {}) =>
      onSale({ ...options, sale: { waitingRoom: false, ...options.sale } }),
  }
}
const { client, onSale } = sales()

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

async function enter(page: Page, account = `fan-${randomUUID().slice(0, 8)}`): Promise<string> {
  await page.getByLabel('Account name').fill(account)
  await button(page, 'Choose seats').click()
  await heading(page, 'How many tickets?').waitFor()
  return account
}

test('a fan on a phone buys the two best seats with one tap, and shows them at the door without a network', async () => {
  const { url } = await onSale()
  const page = await visit(url, PHONE)
  await enter(page)
  await expectAccessible(page, 'the choice by quantity')
  await button(page, 'Reserve 2 tickets · up to €256.00').tap()
  await heading(page, 'These 2 seats are held for you').waitFor()
  const menu = page.locator('.who summary')
  await menu.tap()
  await page.locator('.who').getByLabel('Language').waitFor()
  await menu.tap()
  await page.getByRole('img', { name: /^Your seats in/ }).waitFor()
  await page.locator('.summary').getByText('Riethsporthalle, Erfurt').waitFor()
  await expectAccessible(page, 'the checkout')
  await button(page, /^Pay €/).tap()
  await heading(page, 'The 2 seats are yours').waitFor()
  await button(page, 'Show at the door').first().tap()
  const code = page.getByRole('dialog', { name: /^Code for Row/ })
  expect((await code.getByRole('img').boundingBox())?.width).toBeGreaterThan(330)
  await expectAccessible(page, 'the code at the door')
  await code.getByText('Ticket 1 of 2').waitFor()
  await button(page, 'Next ticket').tap()
  await code.getByText('Ticket 2 of 2').waitFor()
  await button(page, 'Close').tap()
  await code.waitFor({ state: 'detached' })

  const codes = await page.locator('code').allTextContents()
  // The worker has kept the page.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await page.goto(`${server.url}/me`)
  await heading(page, 'My tickets').waitFor()
  await page.locator('.qr').nth(1).waitFor()
  await expectAccessible(page, 'my tickets')
  await page.context().setOffline(true)
  await page.reload()
  await page.getByText('This device kept these tickets').waitFor()
  expect(await page.locator('code').allTextContents()).toEqual(codes)
  await page.goto(url)
  await heading(page, 'The box office does not answer').waitFor()
  expect(await page.locator('code').allTextContents()).toEqual(codes)
  await expectAccessible(page, 'tickets without a network')
  await page.context().setOffline(false)
})

test('my tickets in another tab follow a purchase, a sign-out and a sign-in', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  const account = await enter(page)
  const mine = await page.context().newPage()
  await mine.goto(`${server.url}/me`)
  await mine.getByText('No tickets yet.').waitFor()
  await button(page, /^Reserve 2 tickets/).click()
  await button(page, /^Pay €/).click()
  await mine.locator('.qr').nth(1).waitFor()
  await page.locator('.who summary').click()
  await button(page, 'Sign out').click()
  await button(mine, 'Sign in').waitFor()
  expect(await mine.locator('.qr').count()).toBe(0)

  // Also with texts of twice the size on a small phone.
  await mine.setViewportSize({ width: 320, height: 568 })
  const tooWide = await mine.evaluate(() => {
    const { documentElement: root } = document
    root.style.fontSize = '200%'
    return root.scrollWidth - root.clientWidth
  })
  expect(tooWide).toBe(0)
  await mine.getByLabel('Account name').fill(account)
  await button(mine, 'Sign in').click()
  await page.locator('.who summary', { hasText: account }).waitFor()
})

test('a fan buys standing tickets with the keyboard alone', async () => {
  const { url } = await onSale({ standing: 50 })
  const page = await visit(url)
  await enter(page)
  await tabTo(page, 'The best seats that are free')
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.getByRole('radio', { name: /^Floor/ }).isChecked()).toBe(true)
  await page.keyboard.press('ArrowUp')
  // The hall's list leads to the same choice.
  await tabTo(page, 'Choose seats myself')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Floor.* free$/ }).press('Enter')
  await expect.poll(() => page.getByRole('radio', { name: /^Floor/ }).isChecked()).toBe(true)
  await tabTo(page, 'Reserve 2 tickets · €60.00')
  await page.keyboard.press('Enter')
  await heading(page, 'These 2 tickets are held for you').waitFor()
  await tabTo(page, 'Pay €60.00')
  await page.keyboard.press('Enter')
  await heading(page, 'The 2 tickets are yours').waitFor()
  expect(await page.locator('.stub').getByText('Floor').count()).toBe(2)
})

test('a choice by quantity survives a reload, and a price that is sold out leads to the next one in one tap', async () => {
  const { event, url, organizer } = await onSale({ sale: { ticketLimit: 4 } })
  const cheap = event.sections.filter(({ priceLevels }) =>
    priceLevels.some(({ total }) => total.amount === 4_550),
  )
  const ids: string[] = []
  for (const section of cheap)
    for (const seat of await organizer.seatMap.layout(event.id, section)) {
      const level = section.priceLevels.find(({ id }) => id === seat.priceLevelId)
      if (level?.total.amount === 4_550) ids.push(seat.id)
    }
  await server.ask(
    'mutation ($input: BlockSeatsInput!) { blockSeats(input: $input) { changed } }',
    { input: { eventId: event.id, seats: ids, reason: 'a camera' } },
    { token: organizer.session.accountToken ?? '' },
  )
  const page = await visit(url)
  await enter(page)
  await button(page, 'One ticket more').click()
  await page.getByRole('radio', { name: /^Kategorie II €/ }).check()
  await page.reload()
  await button(page, 'Reserve 3 tickets · €136.50').click()
  await page
    .getByText(/^No 3 seats side by side are free\./)
    .first()
    .waitFor()
  await expectAccessible(page, 'not enough at this price')
  await button(page, 'Look at every price').click()
  await heading(page, 'These 3 seats are held for you').waitFor()
})

test('a fan looks at other seats, keeps their own, and then exchanges two for one', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  await heading(page, 'These 2 seats are held for you').waitFor()
  const before = await page.locator('.items li strong').allTextContents()
  await button(page, 'Choose others').click()
  await page.getByText('What you hold stays yours for').waitFor()
  const own = page.getByRole('checkbox', { checked: true })
  await expect.poll(() => own.count()).toBe(2)
  await expectAccessible(page, 'other seats')
  // Escape from the exchange first, then exchange one seat.
  await button(page, 'Keep my tickets').click()
  await heading(page, 'These 2 seats are held for you').waitFor()
  expect(await page.locator('.items li strong').allTextContents()).toEqual(before)
  await button(page, 'Choose others').click()
  await own.first().click()
  await button(page, /^Exchange for 1 seat/).click()
  await heading(page, 'This seat is held for you').waitFor()
})

test('two fans race for a seat: the slower one reserves the nearest seats with one press', async () => {
  const { event, url } = await onSale({ sale: { allowOrphanSeats: true } })
  const page = await visit(url)
  await enter(page)
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await button(page, 'Choose seats myself').click()
  await eventually(async () => expect(await focused()).toBe('Choose a section'))
  await button(page, /^Block C/).click()
  const seat = page.getByRole('checkbox', { name: 'Row 2, seat 2,' })
  await seat.click()
  await page.reload()
  await seat.and(page.getByLabel(/chosen by you$/)).waitFor()
  const section = event.sections.find(({ name }) => name === 'Block C')
  if (!section) throw new Error('no Block C')
  const fast = await client()
  const wanted = (await fast.seatMap.layout(event.id, section)).find(
    ({ row, number }) => row === '2' && number === '2',
  )
  // The page hears of it only by the refusal, as in a rush.
  let isFirst = true
  await page.route('**/graphql', async (route) => {
    if (isFirst && route.request().postDataJSON()?.operationName === 'Hold') {
      isFirst = false
      await fast.holds.hold(event.id, { seats: [wanted?.id ?? ''] })
    }
    await route.fallback()
  })
  await button(page, /^Reserve 1 seat/).click()
  await page.getByText('Another fan was faster: Row 2, seat 2 is taken.').first().waitFor()
  await button(page, /^Reserve Row \d+, seat \d+ · €/)
    .first()
    .click()
  await heading(page, 'This seat is held for you').waitFor()
})

test('a fan whose other device holds one of the chosen seats changes to the choice with one press', async () => {
  const { event, url } = await onSale({ sale: { allowOrphanSeats: true } })
  const page = await visit(url)
  const account = await enter(page)
  await button(page, 'Choose seats myself').click()
  await button(page, /^Block C/).click()
  for (const name of ['Row 2, seat 2,', 'Row 2, seat 3,']) await page.getByRole('checkbox', { name }).click()
  const device = await client(account)
  let isFirst = true
  await page.route('**/graphql', async (route) => {
    const { operationName, variables } = route.request().postDataJSON() ?? {}
    if (isFirst && operationName === 'Hold') {
      isFirst = false
      await device.holds.hold(event.id, { seats: variables.input.selection.seats.slice(0, 1) })
    }
    await route.fallback()
  })
  await button(page, /^Reserve 2 seats/).click()
  await page.getByRole('alert').getByText('You hold Row 2, seat 2 already.').waitFor()
  await page.getByText('What you hold stays yours for').waitFor()
  await button(page, 'Change my seats to these').click()
  await heading(page, 'These 2 seats are held for you').waitFor()
})

test('after a lapse the page reserves the same seats again, also when it was closed meanwhile', async () => {
  const { event, url } = await onSale()
  const page = await visit(url)
  const account = await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  await heading(page, 'These 2 seats are held for you').waitFor()
  const seats = await page.locator('.items li strong').first().textContent()
  const [hold] = (await (await client(account)).sales.accountState(event.id))?.holds ?? []
  await runOut(server.db, { id: hold?.id ?? '', eventId: event.id })
  await page.getByText('You held this before:').waitFor()
  await expectAccessible(page, 'after a lapse')
  await page.reload()
  await button(page, 'Reserve the same again').click()
  await heading(page, 'These 2 seats are held for you').waitFor()
  expect(await page.locator('.items li strong').first().textContent()).toBe(seats)
})

test('the page leads to the bank and back, reports a refusal there, and gives way to another card', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  await page.getByLabel(/asks you to confirm/).check()
  await button(page, /^Pay €/).click()
  await heading(page, 'Your bank (sandbox)').waitFor()
  // A fan who comes back without a decision may go there again, or pay another way.
  await page.goto(url)
  await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).waitFor()
  await expectAccessible(page, 'the bank waits')
  await page.getByRole('link', { name: 'Go to my bank' }).click()
  await button(page, 'Refuse').click()
  await page.getByRole('alert').getByText('The bank could not confirm that it is you.').first().waitFor()
  await page.getByLabel(/asks you to confirm/).check()
  await button(page, /^Pay €/).click()
  await heading(page, 'Your bank (sandbox)').waitFor()
  await page.goBack()
  await button(page, 'Pay another way').click()
  await page.getByLabel(/The bank says yes/).check()
  await button(page, /^Pay €/).click()
  await heading(page, 'The 2 seats are yours').waitFor()
})

test('the focus and the live regions follow a payment: no old outcome is left while the next attempt runs', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await page.getByLabel(/Declined/).check()
  await button(page, /^Pay €/).click()
  await page.getByRole('alert').getByText('There is not enough money on the card').first().waitFor()
  await eventually(async () => expect(await focused()).toMatch(/^Pay €/))
  await page.getByLabel(/the bank is slow/).check()
  await page.keyboard.press('Enter')
  await eventually(async () => expect(await focused()).toContain('The bank is processing your payment.'))
  expect((await page.getByRole('alert').allTextContents()).join('')).not.toContain('not enough money')
  await heading(page, 'The 2 seats are yours').waitFor()
  await eventually(async () => expect(await focused()).toBe('The 2 seats are yours'))
})

test('a tab shows the hold that another tab has exchanged, the tickets that it has paid for, and no tickets of another account', async () => {
  const { url, event } = await onSale()
  const page = await visit(url)
  const account = await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  await heading(page, 'These 2 seats are held for you').waitFor()
  const other = await page.context().newPage()
  await other.goto(url)
  await button(other, 'Choose others').click()
  await other.getByRole('checkbox', { checked: true }).first().click()
  // The answer is lost after the exchange: the page finds the new hold.
  let isFirst = true
  await other.route('**/graphql', async (route) => {
    if (!isFirst || route.request().postDataJSON()?.operationName !== 'ExchangeHold') return route.fallback()
    isFirst = false
    await route.fetch()
    await route.abort()
  })
  await button(other, /^Exchange for 1 seat/).click()
  await heading(other, 'This seat is held for you').waitFor()
  await heading(page, 'This seat is held for you').waitFor()
  await button(other, /^Pay €/).click()
  await heading(other, 'The seat is yours').waitFor()
  await heading(page, 'The seat is yours').waitFor()

  // A tab that was asleep learns of the sign-out and the next sign-in at once.
  const token = await server.token('another')
  await other.evaluate((token) => localStorage.setItem('fairgate.account', token), token)
  // The message may overtake the storage, which reaches the other tab by another way.
  await eventually(async () => {
    await other.evaluate(
      (slug) =>
        new BroadcastChannel(`fairgate.${slug}`).postMessage({ shown: 'another account', answers: 3 }),
      event.slug,
    )
    expect(await heading(page, 'How many tickets?').count()).toBe(1)
  })
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('fairgate.tickets') ?? 'null'))
  expect(kept).toMatchObject({ account })
})

test('a refunded ticket is shown as void, without a code, and the page says that money comes back', async () => {
  const { event, organizer, url } = await onSale()
  const page = await visit(url)
  const account = await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  await button(page, /^Pay €/).click()
  await page.locator('.qr').nth(1).waitFor()
  const theirs = await (await client(account)).sales.accountState(event.id)
  const [order] = theirs?.orders ?? []
  await server.ask(
    'mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { id } }',
    { input: { orderId: order?.id, ticketIds: [order?.tickets[0]?.id], reason: 'ill', idempotencyKey: 'k' } },
    { token: organizer.session.accountToken ?? '' },
  )
  await page.getByText('This ticket is void').waitFor()
  await heading(page, 'The seat is yours').waitFor()
  expect(await page.locator('.qr').count()).toBe(1)
  await page.getByText(/was returned to you|on its way back/).waitFor()
})

test('a fan pays by Stripe, whose script is blocked at first, who forgets the number, is declined, and confirms', async () => {
  const { url } = await sales(stripeServer).onSale()
  const page = await visit('about:blank')
  const script = await stripeJs(page, stripe)
  script.isBlocked = true
  await page.goto(url)
  await enter(page)
  await button(page, /^Reserve 2 tickets/).click()
  await page.getByText('The payment form could not be loaded.').waitFor()
  await expectAccessible(page, 'Stripe is blocked')
  script.isBlocked = false
  await button(page, 'Load it again').click()
  const number = page.frameLocator('.element iframe').getByLabel('Card number')
  await number.waitFor()
  await button(page, /^Pay €/).click()
  await page.getByRole('alert').getByText('Your card number is incomplete.').waitFor()
  await number.fill('pm_card_visa_chargeDeclinedInsufficientFunds')
  await button(page, /^Pay €/).click()
  await page.getByRole('alert').getByText('There is not enough money on the card').first().waitFor()
  // The bank asks in a window over this page. The first answer is lost, and the fan reloads the page.
  await number.fill('pm_card_authenticationRequired')
  script.confirms = 'never'
  await button(page, /^Pay €/).click()
  await page.getByText('The bank is processing your payment.').waitFor()
  await eventually(() => expect(script.asked).toBe(1))
  script.confirms = 'passed'
  await page.reload()
  await heading(page, 'The 2 seats are yours').waitFor()
  await page.locator('.qr').nth(1).waitFor()
  expect(stripe.intents().filter(({ status }) => status === 'succeeded')).toHaveLength(1)
})
