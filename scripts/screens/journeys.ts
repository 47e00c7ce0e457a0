import type { Browser, Page } from 'playwright-core'
import { apiFan, at, type Organizer } from './sales.ts'

/** What a journey needs: a browser, sales to visit, and a camera. */
export interface Studio {
  readonly url: string
  readonly browser: Browser
  readonly organizer: Organizer
  /** Makes the pictures of a screen that the page shows. */
  shoot(page: Page, screen: string): Promise<void>
}

const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
}
/** The people ahead of the fan in the pictures. */
const AHEAD = 40

/** The fan's ways through the page. Each has an event of its own. */
export const JOURNEYS: Readonly<Record<string, (studio: Studio) => Promise<void>>> = {
  async door(studio) {
    const { organizer, shoot } = studio
    const early = await organizer.hall({ sale: { preQueueOpensAt: at(900), opensAt: at(7_200) } })
    const page = await visit(studio, `/e/${early.slug}`)
    await page.locator('.countdown').waitFor()
    await shoot(page, 'countdown')
    const long = await organizer.hall({
      name: 'Weihnachtsoratorium – Kantaten I bis III',
      appearance: {
        accentColor: '#a3195b',
        presaleText: 'Friends of the choir may join the line an hour earlier.',
        terms: 'No refunds, except if the concert is moved or cancelled.',
      },
      sale: { opensAt: at(1_800) },
    })
    await page.goto(`${studio.url}/e/${long.slug}`)
    await button(page, 'Join the line').waitFor()
    await shoot(page, 'poster')
    await page.goto(`${studio.url}/e/there-is-none`)
    await page.locator('h1').waitFor()
    await shoot(page, 'missing')
    await close(page)
  },

  async line(studio) {
    const { organizer, shoot, url } = studio
    const event = await organizer.hall({ sale: { opensAt: at(3_600), admissionRate: 0.1 } })
    await Promise.all(
      Array.from({ length: AHEAD }, async () => {
        const fan = await apiFan(url)
        await fan.waitingRoom.join(event.id)
        fan.close()
      }),
    )
    const page = await visit(studio, `/e/${event.slug}`)
    await enter(page, 'Join the line', 'greta')
    await page.getByText('This device has noted').first().waitFor()
    await shoot(page, 'early')
    await organizer.change('updateSale', 'UpdateSaleInput', { eventId: event.id, opensAt: at(0) })
    await page.getByRole('heading', { level: 1, name: /Your place/ }).waitFor()
    await shoot(page, 'drawn')
    await button(page, 'Check my place').click()
    await page.locator('.verdict').waitFor()
    await shoot(page, 'checked')
    const other = await visit(studio, `/e/${event.slug}`)
    await enter(other, 'Join the line', 'greta')
    await button(other, 'Move my place here').waitFor()
    await shoot(other, 'second-device')
    await close(other)
    await organizer.change('updateSale', 'UpdateSaleInput', { eventId: event.id, paused: true })
    await page.getByText('The organizer has paused the line.').waitFor()
    await shoot(page, 'paused')
    await page.context().setOffline(true)
    await page.locator('.notice.lost').waitFor()
    await shoot(page, 'line-offline')
    await close(page)
  },

  async hall(studio) {
    const { organizer, shoot, url } = studio
    const event = await organizer.hall({ sale: { waitingRoom: false } })
    const page = await visit(studio, `/e/${event.slug}`)
    await enter(page, 'Choose seats', 'hanna')
    await page.getByRole('heading', { level: 1, name: 'How many tickets?' }).waitFor()
    await shoot(page, 'quantity')
    await button(page, 'Choose seats myself').click()
    await page.locator('.plan.map svg, .plan.map canvas').first().waitFor()
    await shoot(page, 'hall')
    await button(page, /^Block C/).click()
    const seats = page.getByRole('checkbox', { name: /^Row 2, seat/ })
    await seats.first().waitFor()
    await shoot(page, 'section')
    const seat = (number: number) => page.getByRole('checkbox', { name: `Row 2, seat ${number},` })
    await seat(2).click()
    await seat(3).click()
    await button(page, /^Reserve 2 seats/).waitFor()
    await shoot(page, 'section-chosen')
    // Seat 1 would stay alone.
    await button(page, /^Reserve 2 seats/).click()
    await page.locator('.notice').first().waitFor()
    await shoot(page, 'refused')
    await seat(3).click()
    await seat(1).click()
    await button(page, /^Reserve 2 seats/).click()
    await page.getByRole('heading', { level: 1, name: 'These 2 seats are held for you' }).waitFor()
    await shoot(page, 'pay')
    await page.getByLabel(/Declined/).check()
    await button(page, /^Pay €/).click()
    await page.getByText('There is not enough money on the card').first().waitFor()
    await shoot(page, 'declined')
    await page.getByLabel(/The bank says yes/).check()
    await button(page, /^Pay €/).click()
    await page.locator('.qr').nth(1).waitFor()
    await shoot(page, 'tickets')
    await button(page, 'Show at the door').first().click()
    await page.getByRole('dialog').waitFor()
    await shoot(page, 'door-code')
    await button(page, 'Close').click()
    const state = await (await apiFan(url, 'hanna')).sales.accountState(event.id)
    const [order] = state?.orders ?? []
    await organizer.change('refundOrder', 'RefundOrderInput', {
      orderId: order?.id,
      ticketIds: [order?.tickets[0]?.id],
      reason: 'The fan is ill.',
      idempotencyKey: 'screens',
    })
    await page.getByText('This ticket is void').waitFor()
    await shoot(page, 'void')
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await page.goto(`${url}/me`)
    await page.locator('.qr').first().waitFor()
    await shoot(page, 'me')
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText('This device kept these tickets').waitFor()
    await shoot(page, 'me-offline')
    await page.goto(`${url}/e/${event.slug}`)
    await page.locator('.qr').first().waitFor()
    await shoot(page, 'event-offline')
    await close(page)
    const stranger = await visit(studio, '/me')
    await button(stranger, 'Sign in').waitFor()
    await shoot(stranger, 'me-signed-out')
    await close(stranger)
  },

  async stadium(studio) {
    const { organizer, shoot } = studio
    const event = await organizer.stadium()
    const page = await visit(studio, `/e/${event.slug}`)
    await enter(page, 'Choose seats', 'sam')
    await button(page, 'Choose seats myself').click()
    await page.locator('.plan.map svg, .plan.map canvas').first().waitFor()
    await shoot(page, 'stadium')
    await button(page, /^Section 126/)
      .first()
      .click()
    await page.getByRole('checkbox').first().waitFor()
    await shoot(page, 'stadium-section')
    await close(page)
  },

  async floor(studio) {
    const { organizer, shoot, url } = studio
    const event = await organizer.floor(2, { sale: { waitingRoom: false } })
    const page = await visit(studio, `/e/${event.slug}`)
    await enter(page, 'Choose tickets', 'gabi')
    await page.getByRole('heading', { level: 1, name: 'How many tickets?' }).waitFor()
    await shoot(page, 'floor')
    const buyer = await apiFan(url)
    const hold = await buyer.holds.hold(event.id, {
      generalAdmission: { sectionId: event.sections[0]?.id ?? '', quantity: 2 },
    })
    if (hold.__typename !== 'Hold') throw new Error(hold.__typename)
    await page
      .getByText(/come back|all held|None/)
      .first()
      .waitFor()
    await shoot(page, 'floor-held')
    const order = await buyer.checkout.pay({ holdId: hold.id, paymentMethod: 'pm_card_visa' })
    if (order.__typename !== 'Order') throw new Error(order.__typename)
    await button(page, 'Join the waitlist').waitFor()
    await shoot(page, 'sold-out')
    await button(page, 'Join the waitlist').click()
    await button(page, 'Leave the waitlist').waitFor()
    await shoot(page, 'waitlist')
    await organizer.change('refundOrder', 'RefundOrderInput', {
      orderId: order.id,
      reason: 'The fan is ill.',
      idempotencyKey: 'screens',
    })
    await button(page, /^Pay €/).waitFor()
    await shoot(page, 'offer')
    await close(page)
  },
}

async function visit({ browser, url }: Studio, path: string): Promise<Page> {
  const context = await browser.newContext(PHONE)
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', ({ message }) => process.stdout.write(`  the page threw: ${message}\n`))
  await page.goto(`${url}${path}`)
  return page
}

const close = (page: Page) => page.context().close()

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

async function enter(page: Page, label: string, account: string): Promise<void> {
  await page.getByLabel('Account name').fill(account)
  await button(page, label).click()
}
