import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Section } from '../../clients/sdk/index.ts'
import { findChromium } from '../support/chromium.ts'
import { fairgate } from '../support/cli.ts'
import { type HallSaleOptions, hallSales } from '../support/hallSales.ts'
import { testBrowser } from '../support/pushService.ts'
import { browsers, expectAccessible, pageServer, tabTo } from './browser.ts'
import { eventually } from './eventually.ts'

const server = await pageServer()
const { visit } = browsers()
/** The headless shell refuses every notification. */
const { visit: visitWithNotifications } = browsers(findChromium)

const { client, onSale: sell } = hallSales(server)
const onSale = (options: HallSaleOptions = {}) =>
  sell({ ...options, sale: { allowOrphanSeats: true, ...options.sale } })

/** A seating plan with one row of this many seats. */
function row(seats: number) {
  return {
    name: 'One row',
    size: { width: 500, height: 100 },
    categories: [{ name: 'Kategorie II', color: '#1D3557' }],
    zones: [
      {
        name: 'Row',
        position: { x: 0, y: 0 },
        rows: [
          {
            row_number: '1',
            position: { x: 0, y: 0 },
            seats: Array.from({ length: seats }, (_, i) => ({
              seat_guid: `s-${i + 1}`,
              seat_number: String(i + 1),
              position: { x: 25 * i, y: 0 },
              category: 'Kategorie II',
            })),
          },
        ],
      },
    ],
  }
}

const seat = (page: Page, name: string) => page.getByRole('checkbox', { name: `${name},` })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

async function enter(page: Page, account = `fan-${randomUUID().slice(0, 8)}`): Promise<string> {
  await page.getByLabel('Account name').fill(account)
  await button(page, 'Join the line').click()
  await button(page, 'Choose seats myself').click()
  await heading(page, 'Choose a section').waitFor()
  return account
}

/** Moves the opening of a sale. */
async function updateOpening(eventId: string, opensAt: Date) {
  const otto = { id: 'otto', email: null, emailVerified: false, roles: new Set(['ops'] as const) }
  await server.app.events.updateSale(otto, { eventId, opensAt })
}

/** Opens a section, from the choice by quantity or from the hall. */
async function openSection(page: Page, name: string) {
  const section = button(page, new RegExp(`^${name}`))
  const chooseMyself = button(page, 'Choose seats myself')
  await section.or(chooseMyself).first().waitFor()
  if (await chooseMyself.isVisible()) await chooseMyself.click()
  await section.click()
  await heading(page, name).waitFor()
}

test('a fan buys two seats on the page while another browser shows them held and sold', async () => {
  const { event, url } = await onSale()
  const [buyer, onlooker] = await Promise.all([visit(url), visit(url)])
  await expectAccessible(buyer, 'the event')
  await enter(onlooker)
  await openSection(onlooker, 'Block A')
  await seat(onlooker, 'Row 4, seat 3').waitFor()
  expect(await onlooker.getByRole('checkbox').count()).toBe(234)
  await onlooker.getByLabel('Row 4, seat 3, €45.50, available', { exact: true }).waitFor()

  const account = await enter(buyer)
  await expectAccessible(buyer, 'the hall')
  await openSection(buyer, 'Block A')
  await seat(buyer, 'Row 4, seat 3').click()
  await seat(buyer, 'Row 4, seat 4').click()
  await expectAccessible(buyer, 'the seats')
  await button(buyer, 'Reserve 2 seats · €91.00').click()
  await heading(buyer, 'These 2 seats are held for you').waitFor()
  await expectAccessible(buyer, 'held')
  await seat(onlooker, 'Row 4, seat 3').and(onlooker.getByLabel('held by another fan')).waitFor()
  await seat(onlooker, 'Row 4, seat 4').and(onlooker.getByLabel('held by another fan')).waitFor()
  expect(await seat(onlooker, 'Row 4, seat 3').getAttribute('aria-disabled')).toBe('true')

  await buyer.getByLabel(/Declined/).check()
  await button(buyer, 'Pay €91.00').click()
  await buyer.getByRole('alert').getByText('There is not enough money on the card').waitFor()
  await expectAccessible(buyer, 'declined')
  await buyer.getByLabel(/The bank says yes/).check()
  await button(buyer, 'Pay €91.00').click()
  await heading(buyer, 'The 2 seats are yours').waitFor()
  await expectAccessible(buyer, 'the tickets')
  expect(await buyer.locator('.stub').getByText('Kategorie II').count()).toBe(2)
  // The codes come with the captured money.
  await buyer.locator('.qr').nth(1).waitFor()
  const code = await buyer.locator('.qr').first().boundingBox()
  expect(code?.width).toBeGreaterThanOrEqual(280)
  await button(buyer, 'Print').waitFor()
  await buyer.emulateMedia({ media: 'print' })
  await button(buyer, 'Print').waitFor({ state: 'hidden' })
  expect(await buyer.locator('.qr').first().isVisible()).toBe(true)
  await buyer.emulateMedia({ media: null })
  expect(await buyer.getByRole('img', { name: /^Code for Row 4, seat [34]$/ }).count()).toBe(2)
  await seat(onlooker, 'Row 4, seat 3').and(onlooker.getByLabel(/sold$/)).waitFor()
  await seat(onlooker, 'Row 4, seat 4').and(onlooker.getByLabel(/sold$/)).waitFor()

  const theirs = await client(account)
  const accountState = await theirs.sales.accountState(event.id)
  expect(accountState?.orders.filter(({ state }) => state === 'CONFIRMED')).toHaveLength(1)
  const shown = await buyer.locator('code').allTextContents()
  await buyer.reload()
  await heading(buyer, 'Your 2 tickets').waitFor()
  await buyer.locator('.qr').nth(1).waitFor()
  expect(shown.sort()).toEqual(
    accountState?.orders.flatMap(({ tickets }) => tickets.map(({ barcode }) => barcode)).sort(),
  )
})

test('a fan buys a ticket with the keyboard alone, on a phone, in light and dark colours', async () => {
  const { url } = await onSale()
  const page = await visit(url, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  await page.getByLabel('Account name').waitFor()
  await tabTo(page, 'Account name')
  await page.keyboard.type('keyboard')
  await page.keyboard.press('Enter')
  await button(page, 'Choose seats myself').waitFor()
  await tabTo(page, 'Choose seats myself')
  await page.keyboard.press('Enter')
  await heading(page, 'Choose a section').waitFor()
  await expectAccessible(page, 'the hall')
  await tabTo(page, 'Block B')
  await page.keyboard.press('Enter')
  await heading(page, 'Block B').waitFor()
  await seat(page, 'Row 1, seat 1').waitFor()
  await tabTo(page, 'Row 1, seat 1')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  await expect.poll(focused).toMatch(/^Row 2, seat 2,/)
  await page.keyboard.press('End')
  await expect.poll(focused).toMatch(/^Row 2, seat 19,/)
  await page.keyboard.press('Home')
  await expect.poll(focused).toMatch(/^Row 2, seat 1,/)
  await page.keyboard.press('Space')
  expect(await page.getByRole('checkbox', { checked: true }).getAttribute('aria-label')).toMatch(
    /^Row 2, seat 1, €128\.00, chosen by you$/,
  )
  await expectAccessible(page, 'the seats')
  await tabTo(page, 'Reserve 1 seat')
  await page.keyboard.press('Enter')
  await heading(page, 'This seat is held for you').waitFor()
  // The heading gets the focus, for a fan who cannot see that the page has changed.
  await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1'))
  await tabTo(page, 'Pay €128.00')
  await page.keyboard.press('Enter')
  await heading(page, 'The seat is yours').waitFor()
  await expectAccessible(page, 'the tickets')
})

test('before the opening the page shows a countdown, and a place survives a reload', async () => {
  const opensAt = new Date(Date.now() + 3_600_000).toISOString()
  const { event, url } = await onSale({ sale: { opensAt } })
  const page = await visit(url)
  await page.getByRole('heading', { name: 'The sale opens in' }).waitFor()
  await expectAccessible(page, 'before the opening')
  await page.getByLabel('Account name').fill('early')
  await button(page, 'Join the line').click()
  await heading(page, 'You’re in the line').waitFor()
  await expectAccessible(page, 'in the line, before the opening')
  const place = () =>
    page.evaluate(() => localStorage.getItem(`fairgate.${location.pathname.slice(3)}.place`))
  const before = await place()
  expect(before).toBeTruthy()
  await page.reload()
  await heading(page, 'You’re in the line').waitFor()
  await updateOpening(event.id, new Date(Date.now() + 2_000))
  await heading(page, 'How many tickets?').waitFor()
})

test('the page explains the draw before and after it, with the command that checks it elsewhere', async () => {
  const opensAt = new Date(Date.now() + 3_600_000).toISOString()
  const { event, url } = await onSale({ sale: { opensAt, admissionRate: 0 } })
  const other = await client()
  await other.waitingRoom.join(event.id)
  const page = await visit(url)
  await page.getByLabel('Account name').fill('drawn')
  await button(page, 'Join the line').click()
  await page.getByText('You were number 2 to join. When the sale opens').waitFor()
  await page.getByText('How this can be checked later').click()
  const commitment = page.locator('.draw dd').last()
  expect(await commitment.textContent()).toMatch(/^[0-9a-f]{64}$/)
  await updateOpening(event.id, new Date())
  await page.getByText(/In the draw you got place [12] of 2\./).waitFor()
  await page.getByText('Check it without this page').click()
  await expectAccessible(page, 'the draw')
  const command = (await page.locator('.draw code').textContent()) as string
  const [run, args = ''] = command.split(' -- ')
  expect(run).toBe('npm run fairgate')
  // The public document may be two seconds older than the page.
  await eventually(async () =>
    expect(await fairgate(...args.split(' '))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/as it should/),
    }),
  )
})

test('if the sale requires a challenge, the page says so, solves it and joins', async () => {
  const { url } = await onSale({ sale: { challenge: 'ALWAYS', admissionRate: 0 } })
  const page = await visit(url)
  let workers = 0
  page.on('worker', () => workers++)
  await page.getByLabel('Account name').fill('no script')
  const notice = page.getByText('Checking that you are not a script.')
  await Promise.all([notice.first().waitFor(), button(page, 'Join the line').click()])
  await heading(page, 'Your place in the line 1').waitFor()
  await eventually(async () => expect(await notice.count()).toBe(0))
  await eventually(() => expect(workers).toBeGreaterThan(0))
  // A fan with a place gets no challenge.
  await page.reload()
  await heading(page, 'Your place in the line 1').waitFor()
})

test('a fan in the line sees their place and the fans ahead, and can leave', async () => {
  const { event, url } = await onSale({ sale: { admissionRate: 0 } })
  const others = await Promise.all(Array.from({ length: 3 }, () => client()))
  for (const { waitingRoom } of others) await waitingRoom.join(event.id)
  const page = await visit(url)
  await page.getByLabel('Account name').fill('waiting')
  await button(page, 'Join the line').click()
  await heading(page, 'Your place in the line 4').waitFor()
  await page.getByText('3 people', { exact: true }).waitFor()
  await expectAccessible(page, 'in the line')
  // The second tap of a double tap on "Join the line" lands here: one press alone loses no place.
  await button(page, 'Leave the line').click()
  await page.getByRole('group', { name: 'Leave the line? Your place is lost.' }).waitFor()
  await expectAccessible(page, 'asked before leaving')
  await eventually(async () =>
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Stay'),
  )
  await page.keyboard.press('Enter')
  await heading(page, 'Your place in the line 4').waitFor()
  await button(page, 'Leave the line').click()
  await page.keyboard.press('Escape')
  await button(page, 'Leave the line').click()
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
  await button(page, 'Join the line').waitFor()
})

test('the page reports that the place was moved to another device, and moves it back', async () => {
  const { event, url } = await onSale({ sale: { admissionRate: 0 } })
  const page = await visit(url)
  // Any printable name is valid.
  await page.getByLabel('Account name').fill('Zoë Müller & Söhne')
  await button(page, 'Join the line').click()
  await heading(page, 'Your place in the line 1').waitFor()
  await page.getByText('No one: you are next').waitFor()
  await page.getByText('Any moment').waitFor()
  const other = await client('Zoë Müller & Söhne')
  expect(await other.waitingRoom.join(event.id, { moveHere: true })).toMatchObject({ position: 1 })
  await page.getByRole('alert').getByText('it may have been moved to another one').waitFor()
  await page.getByRole('heading', { name: 'Your place is on another device' }).waitFor()
  await expectAccessible(page, 'a place on another device')
  await button(page, 'Move my place here').click()
  await heading(page, 'Your place in the line 1').waitFor()
  await page.getByText('it may have been moved').waitFor({ state: 'detached' })
})

test('the page finds an event that was created again under the same address', async () => {
  const { event, url } = await onSale({ sale: { admissionRate: 0 } })
  const page = await visit('about:blank')
  await page.route(
    '**/graphql',
    async (route) => {
      const answer = await (await route.fetch()).text()
      await route.fulfill({ contentType: 'application/json', body: answer.replaceAll(event.id, 'evt_gone') })
    },
    { times: 1 },
  )
  await page.goto(url)
  await page.getByText('This sale was started again').waitFor()
  await page.getByLabel('Account name').fill('again')
  await button(page, 'Join the line').click()
  await heading(page, /^Your place in the line/).waitFor()
})

test('a notice about the choice disappears when the choice changes; a phone folds many seats to one line', async () => {
  const { url } = await onSale({ sale: { waitingRoom: false, ticketLimit: 3 }, seatingPlan: row(5) })
  // An address that another site has broken opens the page as well.
  const page = await visit(`${url}#%`, {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  })
  await page.getByLabel('Account name').fill('many')
  await button(page, 'Choose seats').click()
  await openSection(page, 'Row')
  const pan = () => page.locator('.seats').evaluate((plan) => plan.scrollWidth - plan.clientWidth)
  await seat(page, 'Row 1, seat 1').waitFor()
  expect(await pan()).toBe(0)
  await button(page, 'Zoom in').click()
  await button(page, 'Whole section').click()
  for (const number of [1, 2, 3, 4]) await seat(page, `Row 1, seat ${number}`).click()
  const notice = page.locator('.notice').getByText('You can have 3 seats.')
  await notice.waitFor()
  await button(page, 'Put Row 1, seat 3 back').waitFor({ state: 'hidden' })
  await button(page, '3 seats chosen').click()
  await expectAccessible(page, 'three seats on a phone')
  await button(page, 'Put Row 1, seat 3 back').click()
  await notice.waitFor({ state: 'detached' })
})

test('a held seat survives a reload and is on sale again after the fan gives it back', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await openSection(page, 'Block A')
  await seat(page, 'Row 1, seat 1').click()
  await button(page, /^Reserve 1 seat/).click()
  await heading(page, 'This seat is held for you').waitFor()
  await page.reload()
  await heading(page, 'This seat is held for you').waitFor()
  // A double click on the button only opens the question.
  await button(page, 'Give the ticket back').dblclick()
  await button(page, 'Keep the ticket').or(button(page, 'Give the ticket back')).waitFor()
  await heading(page, 'This seat is held for you').waitFor()
  await page.reload()
  await button(page, 'Give the ticket back').click()
  await button(page, 'Keep the ticket').click()
  await button(page, 'Give the ticket back').click()
  await page.getByRole('button', { name: 'Give back', exact: true }).click()
  await heading(page, 'Block A').waitFor()
  await seat(page, 'Row 1, seat 1')
    .and(page.getByLabel(/available$/))
    .waitFor()
})

test('a chosen seat that another fan takes is put back and announced', async () => {
  const { event, url } = await onSale({ sale: { waitingRoom: false } })
  const page = await visit(url)
  await page.getByLabel('Account name').fill('slow')
  await button(page, 'Choose seats').click()
  await heading(page, 'How many tickets?').waitFor()
  await openSection(page, 'Block C')
  await seat(page, 'Row 2, seat 2').click()
  await button(page, /^Reserve 1 seat/).waitFor()

  const fast = await client()
  const section = event.sections.find(({ name }) => name === 'Block C') as Section
  const wanted = (await fast.seatMap.layout(event.id, section)).find(
    ({ row, number }) => row === '2' && number === '2',
  )
  expect(await fast.holds.hold(event.id, { seats: [wanted?.id ?? ''] })).toMatchObject({ __typename: 'Hold' })
  await page.getByRole('alert').getByText('Row 2, seat 2 was just taken by another fan.').first().waitFor()
  await button(page, /^Reserve/).waitFor({ state: 'detached' })
  await expectAccessible(page, 'a seat that was taken')
})

test('the page explains a choice that would leave a single seat, and marks that seat until the choice changes', async () => {
  const { url } = await onSale({ sale: { waitingRoom: false, allowOrphanSeats: false }, seatingPlan: row(6) })
  const page = await visit(url)
  await page.getByLabel('Account name').fill('one-off')
  await button(page, 'Choose seats').click()
  await openSection(page, 'Row')
  await seat(page, 'Row 1, seat 2').click()
  await button(page, /^Reserve 1 seat/).click()
  await page.getByText('Your choice would leave a single seat beside it (Row 1, seat 1).').first().waitFor()
  const marked = seat(page, 'Row 1, seat 1').and(page.getByLabel(/would be left alone$/))
  await marked.waitFor()
  await expectAccessible(page, 'a single seat')
  await seat(page, 'Row 1, seat 1').click()
  await marked.waitFor({ state: 'detached' })
  await seat(page, 'Row 1, seat 1').click()
  await button(page, /^Reserve 1 seat/).click()
  // One tap takes the nearest choice that leaves no single seat.
  await button(page, 'Reserve Row 1, seat 1 · €45.50').click()
  await heading(page, 'This seat is held for you').waitFor()
  await page.locator('.items').getByText('Row 1, seat 1').waitFor()
})

test('the page shows that the sale is paused, and that it is sold out', async () => {
  const { event, organizer, url } = await onSale({ sale: { waitingRoom: false }, seatingPlan: row(2) })
  const page = await visit(url)
  await page.getByRole('heading', { name: 'On sale now' }).waitFor()
  const pause = (paused: boolean) =>
    server.ask(
      'mutation ($input: UpdateSaleInput!) { updateSale(input: $input) { state } }',
      { input: { eventId: event.id, paused } },
      { token: organizer.session.accountToken ?? '' },
    )
  expect((await pause(true)).data.updateSale.state).toBe('PAUSED')
  await page.getByRole('heading', { name: 'The sale is paused' }).waitFor()
  await expectAccessible(page, 'paused')
  await pause(false)
  await page.getByRole('heading', { name: 'On sale now' }).waitFor()

  const buyer = await client()
  const [section] = event.sections as [Section]
  const seats = (await buyer.seatMap.layout(event.id, section)).map(({ id }) => id)
  const hold = await buyer.holds.hold(event.id, { seats })
  if (hold.__typename !== 'Hold') throw new Error(hold.__typename)
  expect(await buyer.checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })).toMatchObject({
    state: 'CONFIRMED',
  })
  await page.getByRole('heading', { name: 'Sold out' }).waitFor()
  await expectAccessible(page, 'sold out')
})

test('a fan on the waitlist of a sold-out sale gets returned seats and time to pay', async () => {
  const { event, organizer, url } = await onSale({ sale: { waitingRoom: false }, seatingPlan: row(4) })
  const [section] = event.sections as [Section]
  const seats = (await organizer.seatMap.layout(event.id, section)).map(({ id }) => id)
  const change = (name: string) =>
    server.ask(
      `mutation ($input: BlockSeatsInput!) { ${name}(input: $input) { changed } }`,
      { input: { eventId: event.id, seats: seats.slice(2), reason: 'the camera' } },
      { token: organizer.session.accountToken ?? '' },
    )
  await change('blockSeats')
  const buyer = await client()
  const hold = await buyer.holds.hold(event.id, { seats: seats.slice(0, 2) })
  if (hold.__typename !== 'Hold') throw new Error(hold.__typename)
  await buyer.checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })

  const page = await visit(url)
  const part = (name: string) => page.getByRole('heading', { name })
  await part('Sold out').waitFor()
  await page.getByLabel('Account name').fill(`late-${randomUUID()}`)
  await page.getByLabel('Tickets', { exact: true }).fill('2')
  await page.getByLabel('I take fewer').check()
  await expectAccessible(page, 'sold out, with the waitlist')
  await button(page, 'Join the waitlist').click()
  await part('You are on the waitlist for 2 tickets').waitFor()
  await page.getByText('You are next.').waitFor()
  await page.reload()
  await button(page, 'Leave the waitlist').click()
  await part('Wait for returned tickets').waitFor()
  await button(page, 'Join the waitlist').click()
  await part('You are on the waitlist for 2 tickets').waitFor()
  await expectAccessible(page, 'on the waitlist')

  expect((await change('unblockSeats')).data.unblockSeats.changed).toHaveLength(2)
  await heading(page, 'These 2 seats are held for you').waitFor()
  await page.getByText('the waitlist has reached you').waitFor()
})

test('the page shows a lost connection and continues when it is back', async () => {
  const { url } = await onSale({ sale: { admissionRate: 0 } })
  const page = await visit('about:blank')
  // The test drives the page's clock past keep-alives and backoffs.
  await page.clock.install()
  await page.goto(url)
  const noConnection = (state: 'visible' | 'detached') =>
    eventually(async () => {
      await page.clock.fastForward(5_000)
      await page.getByText('No connection.').waitFor({ state, timeout: 500 })
    })
  await page.getByLabel('Account name').fill('tunnel')
  await button(page, 'Join the line').click()
  await heading(page, /^Your place in the line/).waitFor()
  await page.context().setOffline(true)
  await noConnection('visible')
  await expectAccessible(page, 'no connection')
  await page.context().setOffline(false)
  await noConnection('detached')
  await heading(page, /^Your place in the line/).waitFor()
})

test.each([
  ['JPY', 4_550, '¥4,550', 'Reserve 2 seats · ¥9,100'],
  ['KWD', 4_550, 'KWD 4.550', 'Reserve 2 seats · KWD 9.100'],
])('prices in %s have the decimals of that currency', async (currency, price, one, two) => {
  const { url } = await onSale({
    currency,
    price,
    sale: { waitingRoom: false },
    seatingPlan: row(4),
  })
  const page = await visit(url, { locale: 'en' })
  await page.getByText(one).first().waitFor()
  await page.getByLabel('Account name').fill('abroad')
  await button(page, 'Choose seats').click()
  await openSection(page, 'Row')
  await seat(page, 'Row 1, seat 1').click()
  await seat(page, 'Row 1, seat 2').click()
  await button(page, two).waitFor()
})

test('a fan who presses "Call me" is called by web push and mail, and a push opens a notification while the page is away', async () => {
  const { event, url } = await onSale({ sale: { admissionRate: 0 } })
  const page = await visitWithNotifications('about:blank')
  await page.context().grantPermissions(['notifications'], { origin: server.url })
  // Chromium has no push service here: this one gives a subscription that was made by the test.
  const { subscription } = testBrowser(server.app.turnAlerts.pushKey() as string)
  await page.addInitScript(({ endpoint, p256dh, auth }) => {
    PushManager.prototype.getSubscription = async () => null
    PushManager.prototype.subscribe = async (options) => {
      ;(window as unknown as { subscribed: unknown }).subscribed = options
      return { toJSON: () => ({ endpoint, keys: { p256dh, auth } }) } as unknown as PushSubscription
    }
  }, subscription)
  await page.goto(url)
  await page.getByLabel('Account name').fill('called')
  await button(page, 'Join the line').click()
  await heading(page, 'Your place in the line 1').waitFor()
  await button(page, 'Call me').click()
  await page.getByText('You will be called by notification and by mail').waitFor()
  await expectAccessible(page, 'called')
  const options = await page.evaluate(() => {
    const { userVisibleOnly, applicationServerKey } = (
      window as unknown as { subscribed: PushSubscriptionOptionsInit }
    ).subscribed
    return { userVisibleOnly, key: [...(applicationServerKey as Uint8Array)] }
  })
  expect(options).toEqual({
    userVisibleOnly: true,
    key: [...Buffer.from(subscription.key, 'base64url')],
  })
  const alerts = () =>
    server.db.sql<{ email: string | null; endpoint: string | null; locale: string }>(
      "select email, push ->> 'endpoint' as endpoint, locale from turn_alerts where event_id = $1 order by target",
      [event.id],
    )
  expect(await alerts()).toEqual([
    { email: expect.stringContaining('@'), endpoint: null, locale: 'en-GB' },
    { email: null, endpoint: subscription.endpoint, locale: 'en-GB' },
  ])

  await page.goto(`${server.url}/me`)
  await push(page, { title: 'It is your turn', body: 'Come in', url: new URL(url).pathname, tag: 'turn' })
  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.ready
      const notifications = await worker.getNotifications()
      return notifications.map(({ title, body, tag, data }) => ({ title, body, tag, data }))
    })
  await eventually(async () =>
    expect(await shown()).toEqual([
      { title: 'It is your turn', body: 'Come in', tag: 'turn', data: { url: new URL(url).pathname } },
    ]),
  )

  await page.goto(url)
  await button(page, 'Do not call me').click()
  await button(page, 'Call me').waitFor()
  await eventually(async () => expect(await alerts()).toEqual([]))
})

test('a fan whose browser blocks notifications is called by mail', async () => {
  const { url } = await onSale({ sale: { admissionRate: 0 } })
  const page = await visit(url)
  await page.getByLabel('Account name').fill('by mail')
  await button(page, 'Join the line').click()
  await heading(page, 'Your place in the line 1').waitFor()
  await button(page, 'Call me').click()
  await page.getByText('You will be called by mail.').waitFor()
  await page.reload()
  await page.getByText('You will be called by mail.').waitFor()
})

/** Delivers a push to the service worker of the page, as the browser does after the push service. */
async function push(page: Page, data: object): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((found) =>
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration) found(registration.registrationId)
    }),
  )
  await devTools.send('ServiceWorker.enable')
  await devTools.send('ServiceWorker.deliverPushMessage', {
    origin: server.url,
    registrationId: await registered,
    data: JSON.stringify(data),
  })
}
