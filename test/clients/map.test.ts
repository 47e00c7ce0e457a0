import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Section } from '../../clients/sdk/index.ts'
import { type HallSaleOptions, hallSales } from '../support/hallSales.ts'
import { LONG } from '../support/long.ts'
import { stadium } from '../support/stadium.ts'
import { browsers, expectAccessible, pageServer, tabTo } from './browser.ts'
import { eventually } from './eventually.ts'

const server = await pageServer()
const { visit } = browsers()
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

const { client, onSale: sell } = hallSales(server)
/** A sale without a waiting room. */
const onSale = (options: HallSaleOptions = {}) =>
  sell({ ...options, sale: { waitingRoom: false, allowOrphanSeats: true, ticketLimit: 8 } })

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

async function enter(page: Page) {
  await page.getByLabel('Account name').fill(`fan-${randomUUID().slice(0, 8)}`)
  await button(page, 'Choose seats').click()
  await button(page, 'Choose seats myself').click()
  await heading(page, 'Choose a section').waitFor()
  await page.locator('.plan svg.hallmap').waitFor()
}

async function openSection(page: Page, name: string) {
  await button(page, new RegExp(`^${name}`)).click()
  await heading(page, name).waitFor()
  await page.locator('.seats .marks').waitFor()
}

/** The screen's position of a share of the map's width and height. */
async function onMap(page: Page, across: number, down: number) {
  await page.locator('.map').scrollIntoViewIfNeeded()
  const box = await page.locator('.map').boundingBox()
  if (!box) throw new Error('the map is not there')
  return [box.x + box.width * across, box.y + box.height * down] as const
}

const zoomOut = (page: Page) => button(page, 'Zoom out')
const sectionFill = (page: Page, name: string) =>
  page.locator('[data-section]', { has: page.locator('title', { hasText: `${name}:` }) }).first()

// 50,000 seats take a busy machine seconds to create. From 3,000 on the page treats all halls alike.
const ROWS = LONG ? { rows: 20, seatsPerRow: 25 } : { rows: 5, seatsPerRow: 8 }
const SECTION_SEATS = ROWS.rows * ROWS.seatsPerRow

test('a stadium shows its bowl without loading a seat, a tap on a small section zooms in first, and a fan buys a seat there', async () => {
  const { url } = await onSale({ seatingPlan: stadium({ sections: 100, ...ROWS }) })
  const page = await visit(url, PHONE)
  const layouts: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/layouts/')) layouts.push(request.url())
  })
  await enter(page)
  expect(await page.locator('[data-section]').count()).toBe(100)
  await eventually(async () =>
    expect(await sectionFill(page, 'Section 101').locator('title').textContent()).toBe(
      `Section 101: ${SECTION_SEATS} free`,
    ),
  )
  expect(layouts).toEqual([])
  await expectAccessible(page, 'the stadium')
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(1_800)

  const box = await sectionFill(page, 'Section 126').locator('.ground').boundingBox()
  if (!box) throw new Error('the section is not drawn')
  const middle = [box.x + box.width / 2, box.y + box.height / 2] as const
  await page.touchscreen.tap(...middle)
  await eventually(async () => expect(await zoomOut(page).isEnabled()).toBe(true))
  await page.locator('.minimap').waitFor()
  await heading(page, 'Choose a section').waitFor()
  // The finger stays on the section: at some size, a tap opens it.
  for (let taps = 0; taps < 3 && (await heading(page, /^Section/).count()) === 0; taps++) {
    await page.waitForFunction(() => document.getAnimations().length === 0)
    await page.touchscreen.tap(...middle)
    await heading(page, /^Section/)
      .waitFor({ timeout: 1_500 })
      .catch(() => undefined)
  }
  await heading(page, /^Section 1\d\d/).waitFor()
  await eventually(() => expect(layouts).toHaveLength(1))

  const seat = page.getByRole('checkbox', { name: /, available$/ }).first()
  await seat.focus()
  await page.keyboard.press('Space')
  await button(page, /^Reserve 1 seat/).click()
  await heading(page, 'This seat is held for you').waitFor()
  await button(page, /^Pay €/).click()
  await page.locator('.qr').waitFor()
})

test('a section of 2,000 seats is a canvas: a tap picks the seat under the finger, and a change repaints only its seats', async () => {
  const { event, url } = await onSale({ seatingPlan: stadium({ sections: 1, rows: 40, seatsPerRow: 50 }) })
  const page = await visit(url, PHONE)
  await enter(page)
  await openSection(page, 'Section 101')
  const canvas = page.locator('.seats canvas')
  await canvas.waitFor()
  expect(await page.locator('.seats [role="checkbox"]').count()).toBe(1)
  // Seats of seven pixels: the first tap zooms in at the finger, the second one chooses.
  await page.touchscreen.tap(...(await onMap(page, 0.5, 0.5)))
  await eventually(async () => expect(await zoomOut(page).isEnabled()).toBe(true))
  expect(await button(page, /^Reserve/).count()).toBe(0)
  await eventually(async () => {
    await page.touchscreen.tap(...(await onMap(page, 0.5, 0.5)))
    await button(page, /^Reserve 1 seat/).waitFor({ timeout: 1_000 })
  })
  await expectAccessible(page, 'a canvas')

  await button(page, 'Whole section').click()
  await eventually(async () => expect(await zoomOut(page).isEnabled()).toBe(false))
  const other = await client()
  const [section] = event.sections as [Section]
  const seats = (await other.seatMap.layout(event.id, section)).slice(0, 3).map(({ id }) => id)
  await other.holds.hold(event.id, { seats })
  await eventually(async () => expect(await canvas.getAttribute('data-painted')).toBe('3'))

  // The keys reach every seat of a canvas too, and each seat that takes the focus has its name.
  await page.locator('.seats .cursor').focus()
  await page.keyboard.press('Home')
  const name = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  await eventually(async () => expect(await name()).toMatch(/^Row \d+, seat 1, /))
  await page.keyboard.press('ArrowRight')
  await eventually(async () => expect(await name()).toMatch(/^Row \d+, seat 2, /))
})

test('a fan chooses by keyboard from the list alone: section, row, seat', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await tabTo(page, 'Block A')
  await page.keyboard.press('Enter')
  await heading(page, 'Block A').waitFor()
  await tabTo(page, 'Row 2')
  await page.keyboard.press('Enter')
  const list = page.getByRole('group', { name: 'Row 2', exact: true })
  await list.waitFor()
  // A row is one stop of the Tab key, and the arrow keys move in it.
  await tabTo(page, 'Row 2, seat 1,')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Space')
  await button(page, /^Reserve 1 seat/).waitFor()
  expect(await list.getByRole('checkbox', { checked: true }).getAttribute('aria-label')).toMatch(
    /^Row 2, seat 3, .*chosen by you$/,
  )
  await expectAccessible(page, 'the list of a section')
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  await list.getByRole('checkbox', { checked: true }).focus()
  await page.keyboard.press('Home')
  await eventually(async () => expect(await focused()).toMatch(/^Row 2, seat 1,/))
  await page.keyboard.press('Shift+Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Row 2/)
})

test('the filters show seats by price and seats side by side, on the hall and in its sections', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await page.getByRole('button', { name: /^VIP/, pressed: false }).click()
  await page.getByText('1 section may have such seats.').waitFor()
  expect(await page.locator('.sections .card').count()).toBe(1)
  await openSection(page, 'Block B')
  const faded = page.locator('.seats .seat.faded')
  const vip = 218 - (await faded.count())
  expect(vip).toBeGreaterThan(50)
  await page.getByLabel('Seats side by side').selectOption('8')
  await page.getByRole('status').getByText('free seats match.').waitFor()
  // Row 1 has seven seats before its aisle.
  const row1 = (seat: number) => page.locator(`.seats [aria-label^="Row 1, seat ${seat},"]`)
  await eventually(async () => expect(await row1(7).getAttribute('class')).toContain('faded'))
  expect(await row1(8).getAttribute('class')).not.toContain('faded')
  await expectAccessible(page, 'a filtered section')
  await button(page, 'Show all').click()
  await eventually(async () => expect(await faded.count()).toBe(0))
})

test('wheel, drag, keys and the buttons zoom and move the map, which never leaves its frame', async () => {
  const { url } = await onSale()
  const page = await visit(url)
  await enter(page)
  await openSection(page, 'Block A')
  const place = async () => (await page.locator('.marks > g').getAttribute('transform')) ?? ''
  const whole = await place()
  await page.mouse.move(...(await onMap(page, 0.5, 0.5)))
  await page.mouse.wheel(0, -400)
  await eventually(async () => expect(await place()).not.toBe(whole))
  await page.locator('.minimap').waitFor()
  await page.locator('.numbered').waitFor()
  const zoomed = await place()
  await page.mouse.down()
  await page.mouse.move(...(await onMap(page, 0.7, 0.6)), { steps: 4 })
  await page.mouse.up()
  await eventually(async () => expect(await place()).not.toBe(zoomed))
  // A drag chooses nothing.
  expect(await button(page, /^Reserve/).count()).toBe(0)
  await page.locator('.rows .pinned').first().waitFor()
  const covered = await page.evaluate(() => {
    const map = document.querySelector('.minimap')?.getBoundingClientRect()
    const labels = [...document.querySelectorAll('.rows .pinned')].map((label) =>
      label.getBoundingClientRect(),
    )
    return labels.filter(
      ({ left, right, bottom }) => map && left < map.right && right > map.left && bottom > map.top,
    )
  })
  expect(covered).toEqual([])
  await page.locator('.seats [tabindex="0"]').focus()
  await page.keyboard.press('0')
  await eventually(async () => expect(await place()).toBe(whole))
  await page.keyboard.press('+')
  await eventually(async () => expect(await place()).not.toBe(whole))
  await button(page, 'Whole section').click()
  await eventually(async () => expect(await place()).toBe(whole))
})

test('two fingers zoom the map on a phone, and one finger then moves it', async () => {
  const { url } = await onSale()
  const page = await visit(url, PHONE)
  await enter(page)
  await openSection(page, 'Block A')
  const place = async () => (await page.locator('.marks > g').getAttribute('transform')) ?? ''
  const whole = await place()
  const touch = await page.context().newCDPSession(page)
  const send = (
    type: 'touchStart' | 'touchMove' | 'touchEnd',
    touchPoints: { x: number; y: number; id: number }[],
  ) => touch.send('Input.dispatchTouchEvent', { type, touchPoints })
  const [x, y] = await onMap(page, 0.5, 0.5)
  const apart = (by: number) => [
    { x: x - by, y, id: 0 },
    { x: x + by, y, id: 1 },
  ]
  await send('touchStart', apart(20))
  for (const by of [40, 60, 80]) await send('touchMove', apart(by))
  await send('touchEnd', [])
  await eventually(async () => expect(await zoomOut(page).isEnabled()).toBe(true))
  const zoomed = await place()
  expect(zoomed).not.toBe(whole)
  await send('touchStart', [{ x, y, id: 0 }])
  for (const by of [10, 30, 50]) await send('touchMove', [{ x: x + by, y, id: 0 }])
  await send('touchEnd', [])
  await eventually(async () => expect(await place()).not.toBe(zoomed))
  expect(await button(page, /^Reserve/).count()).toBe(0)
})
