import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Section } from '../../clients/sdk/index.ts'
import { at, type HallSaleOptions, hallSales } from '../support/hallSales.ts'
import { browsers, expectAccessible, pageServer } from './browser.ts'
import { eventually } from './eventually.ts'

const server = await pageServer()
const { visit } = browsers()

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
const { client, onSale: sell } = hallSales(server)
/** A sale that calls no place. */
const onSale = (options: HallSaleOptions = {}) =>
  sell({ ...options, sale: { admissionRate: 0, ...options.sale } })

async function updateSale(eventId: string, change: object) {
  const otto = { id: 'otto', email: null, emailVerified: false, roles: new Set(['ops'] as const) }
  await server.app.events.updateSale(otto, { eventId, ...change })
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

async function join(page: Page, account = `fan-${randomUUID().slice(0, 8)}`): Promise<string> {
  await page.getByLabel('Account name').fill(account)
  await button(page, 'Join the line').click()
  return account
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('the door has at most 100 kB on the wire, 35 kB of it JavaScript', async () => {
  const { url } = await onSale()
  const page = await visit('about:blank')
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  const kinds = new Map<string, string>()
  const bytes = new Map<string, number>()
  const assets: { requestId: string; url: string }[] = []
  network.on('Network.responseReceived', ({ requestId, type, response }) => {
    kinds.set(requestId, type)
    if (/\.(?:js|css)$/.test(response.url)) assets.push({ requestId, url: response.url })
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    bytes.set(requestId, encodedDataLength),
  )
  await page.goto(url, { waitUntil: 'networkidle' })
  await heading(page, 'Opening night').waitFor()
  // Browsers accept brotli with TLS only, as a sale is served; the test's server has none.
  for (const { requestId, url } of assets) {
    const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } })
    expect(answer.headers.get('content-encoding')).toBe('br')
    bytes.set(requestId, Number(answer.headers.get('content-length')))
  }
  const sum = (...of: string[]) =>
    [...bytes].reduce((total, [id, size]) => total + (of.includes(kinds.get(id) ?? '') ? size : 0), 0)
  expect(sum('Script')).toBeGreaterThan(10_000)
  expect(sum('Script')).toBeLessThan(35_000)
  expect(sum('Document', 'Script', 'Stylesheet', 'Font', 'Fetch', 'XHR', 'Image', 'Other')).toBeLessThan(
    100_000,
  )
})

test('a fan reads the page in the language of the browser, and changes it for good', async () => {
  const { url } = await onSale()
  const page = await visit(url, { locale: 'de-DE', ...PHONE })
  await page.getByRole('heading', { name: 'Jetzt im Verkauf' }).waitFor()
  const root = () => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])
  expect(await root()).toEqual(['de-DE', 'ltr'])
  await page.getByText('128,00 €').first().waitFor()
  await page.getByLabel('Sprache').selectOption('ar')
  await page.getByRole('heading', { name: 'البيع جارٍ الآن' }).waitFor()
  expect(await root()).toEqual(['ar', 'rtl'])
  expect(await overflow(page)).toBe(0)
  await expectAccessible(page, 'the event in Arabic')
  await page.reload()
  await page.getByRole('heading', { name: 'البيع جارٍ الآن' }).waitFor()
  await page.getByLabel('اللغة').selectOption('fr')
  await page.getByRole('heading', { name: 'En vente maintenant' }).waitFor()
  expect(await root()).toEqual(['fr', 'ltr'])
})

test('no word of a title is cut, and the first step is on the first screen of a phone', async () => {
  const { url } = await onSale({ name: 'Weihnachtsoratorium mit dem Rundfunksinfonieorchester' })
  for (const width of [320, 390]) {
    const page = await visit(url, { ...PHONE, viewport: { width, height: 700 }, locale: 'de' })
    const title = page.getByRole('heading', { level: 1 })
    await title.waitFor()
    // The title is measured in its own font, after the layout with it.
    await page.evaluate(() => document.fonts.ready.then(() => new Promise(requestAnimationFrame)))
    expect(await title.evaluate((h1) => h1.scrollWidth - h1.clientWidth)).toBeLessThanOrEqual(0)
    expect(await overflow(page)).toBe(0)
    const join = await button(page, 'Anstellen').boundingBox()
    expect((join?.y ?? 9_999) + (join?.height ?? 0)).toBeLessThanOrEqual(700)
  }
})

test('an organizer’s colour, image and texts are shown, and the colour stays legible', async () => {
  const { url } = await onSale({
    sale: { opensAt: at(3_600) },
    appearance: {
      // A yellow button with white letters cannot be read.
      accentColor: '#ffee00',
      imageUrl: 'https://images.example/poster.svg',
      presaleText: 'Doors open at 19:00.\nNo large bags.',
      terms: 'Tickets are personal.',
    },
  })
  const page = await visit('about:blank', PHONE)
  await page.route('https://images.example/**', (route) =>
    route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="4"><rect width="12" height="4" fill="#334"/></svg>',
    }),
  )
  await page.goto(url)
  await page.getByText('No large bags.').waitFor()
  expect(await page.locator('.poster img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(12)
  await page.getByText('Terms', { exact: true }).click()
  await page.getByText('Tickets are personal.').waitFor()
  // axe measures the contrast, in light and dark.
  await expectAccessible(page, 'an event with a colour of its own')
  expect(await overflow(page)).toBe(0)
})

test('with text of twice the size nothing is wider than the page', async () => {
  const { url } = await onSale()
  const page = await visit(url, { ...PHONE, viewport: { width: 390, height: 844 } })
  await page.addStyleTag({ content: 'html { font-size: 200% }' })
  await heading(page, 'Opening night').waitFor()
  expect(await overflow(page)).toBe(0)
  await join(page)
  await heading(page, /^Your place in the line/).waitFor()
  expect(await overflow(page)).toBe(0)
})

test('a waiting fan reads why there is no estimate: an unknown rate and a pause are no shortage', async () => {
  const { event, url } = await onSale()
  const others = await Promise.all([client(), client()])
  for (const { waitingRoom } of others) await waitingRoom.join(event.id)
  const page = await visit(url)
  await join(page)
  await heading(page, 'Your place in the line 3').waitFor()
  await page.getByText('The line has not moved lately').waitFor()
  expect(await page.getByText('There may not be enough tickets').count()).toBe(0)
  await expectAccessible(page, 'the line, rate unknown')
  await updateSale(event.id, { paused: true })
  await page.getByText('The organizer has paused the line.').waitFor()
  await page.getByText('The line has not moved lately').waitFor({ state: 'detached' })
})

test('a fan sees what is left of each price, and learns at once that a price is gone', async () => {
  const { event, url } = await onSale({ sale: { waitingRoom: false, ticketLimit: 10 } })
  const page = await visit(url)
  const price = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await price('VIP')
    .getByText(/^\d+ left$/)
    .waitFor()
  const vip = event.sections.flatMap((section) =>
    section.priceLevels.filter(({ name }) => name === 'VIP').map((level) => ({ section, level })),
  )
  const buyers = await Promise.all(Array.from({ length: 30 }, () => client()))
  let next = 0
  for (const { section, level } of vip) {
    const seats = (await (buyers[0] as (typeof buyers)[0]).seatMap.layout(event.id, section as Section))
      .filter(({ priceLevelId }) => priceLevelId === level.id)
      .map(({ id }) => id)
    for (let from = 0; from < seats.length; from += 10) {
      const buyer = buyers[next++ % buyers.length] as (typeof buyers)[0]
      await buyer.holds.hold(event.id, { seats: seats.slice(from, from + 10) })
    }
  }
  await page.getByRole('alert').getByText('The €128.00 tickets are all held. Some may come back.').waitFor()
  await price('VIP')
    .getByText(/gone · \d+ may come back/)
    .waitFor()
  // The notice speaks the language that the fan chooses while it stands.
  await page.getByLabel('Language').selectOption('de')
  await page.getByRole('alert').getByText('Die Plätze für 128,00 € sind alle reserviert.').waitFor()
})

test('the draw is shown as it happens, and one press checks the place in the browser', async () => {
  const { event, url } = await onSale({ sale: { opensAt: at(3_600) } })
  for (const { waitingRoom } of [await client(), await client()]) await waitingRoom.join(event.id)
  const page = await visit(url, PHONE)
  await join(page)
  await page.getByText('This device has noted the commitment and your arrival.').waitFor()
  await updateSale(event.id, { opensAt: new Date() })
  await heading(page, /^The draw is done\. Your place: [123] of 3 drawn$/).waitFor()
  await page.clock.install()
  await button(page, 'Check my place').click()
  await page.getByText('Your place is right.').waitFor()
  await page.getByText('The commitment is the one that this device noted at').waitFor()
  expect(await page.locator('.checks .ok').count()).toBe(3)
  await expectAccessible(page, 'the checked place')
  const download = page.waitForEvent('download')
  await button(page, 'Share a card').click()
  expect((await download).suggestedFilename()).toBe('place.png')
  // A sale that changed its commitment is found out, although its draw fits the new one.
  await page.evaluate(() => {
    const [key = ''] = Object.keys(localStorage).filter((name) => name.startsWith('fairgate.draw.'))
    const noted = JSON.parse(localStorage.getItem(key) ?? '{}')
    localStorage.setItem(key, JSON.stringify({ ...noted, commitment: '0'.repeat(64) }))
  })
  await page.reload()
  await button(page, 'Check my place').click()
  await page.getByText('Your place does not fit the draw.').waitFor()
  expect(await page.locator('.checks .wrong').count()).toBe(1)
  expect(await page.locator('.checks .ok').count()).toBe(2)
})

test('on a second device the one loud button moves the place there', async () => {
  const { event, url } = await onSale()
  const first = await client('two-devices')
  await first.waitingRoom.join(event.id)
  const page = await visit(url)
  await join(page, 'two-devices')
  await page.getByRole('heading', { name: 'Your place is on another device' }).waitFor()
  expect(await button(page, 'Join the line').count()).toBe(0)
  await expectAccessible(page, 'a place on another device')
  await button(page, 'Move my place here').click()
  await heading(page, 'Your place in the line 1').waitFor()
  await eventually(async () => expect(await page.locator('.notice').count()).toBe(0))
})

test('two tabs of one fan stay in step', async () => {
  const { url } = await onSale()
  const first = await visit(url)
  await first.getByLabel('Account name').waitFor()
  const second = await first.context().newPage()
  await second.goto(url)
  await join(second)
  await heading(second, 'Your place in the line 1').waitFor()
  await heading(first, 'Your place in the line 1').waitFor()
  await button(first, 'Leave the line').click()
  await first.getByRole('button', { name: 'Leave', exact: true }).click()
  await button(first, 'Join the line').waitFor()
  await button(second, 'Join the line').waitFor()
})
