import type { CDPSession, Page } from 'playwright-core'

/** How a fan may see a screen: the window, the colours, the size of text and the language. */
interface Look {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly isTouch?: boolean
  readonly colorScheme?: 'dark'
  readonly forcedColors?: 'active'
  readonly textSize?: string
  readonly language?: string
}

const PHONE = { width: 390, height: 844, isTouch: true }

const LOOKS: readonly Look[] = [
  { name: '390', ...PHONE },
  { name: '320', width: 320, height: 568, isTouch: true },
  { name: 'landscape', width: 844, height: 390, isTouch: true },
  { name: '768', width: 768, height: 1_024, isTouch: true },
  { name: '1280', width: 1_280, height: 900 },
  { name: 'dark', ...PHONE, colorScheme: 'dark' },
  { name: 'forced-colours', ...PHONE, forcedColors: 'active' },
  { name: 'text-200', ...PHONE, textSize: '200%' },
  // A window of 1280 by 1024 pixels at 400 percent.
  { name: 'zoom-400', width: 320, height: 256 },
  { name: 'de', width: 320, height: 568, isTouch: true, language: 'de' },
  { name: 'fr', ...PHONE, language: 'fr' },
  { name: 'es', ...PHONE, language: 'es' },
  { name: 'ar', ...PHONE, language: 'ar' },
]

export const LOOK_NAMES = LOOKS.map(({ name }) => name)

/** A picture of a window of its own height could be as long as the list of a stadium. */
const MOST_HEIGHT = 2_400

/**
 * Makes a picture of the page in every look, and calls `seen` with it and with the pixels by which the page is wider than its
 * window. Leaves the page as a phone in English.
 */
export async function inEveryLook(
  page: Page,
  seen: (look: string, picture: Buffer, overflow: number) => Promise<void>,
): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  for (const look of [...LOOKS, LOOKS[0] as Look]) {
    await wear(page, devtools, look)
    const { height, overflow } = await page.evaluate(() => {
      const { scrollHeight, scrollWidth, clientWidth } = document.documentElement
      return { height: scrollHeight, overflow: scrollWidth - clientWidth }
    })
    const clip = { x: 0, y: 0, width: look.width, height: Math.min(MOST_HEIGHT, height) }
    await seen(look.name, await page.screenshot({ fullPage: true, clip }), overflow)
  }
  await devtools.detach()
}

/** Returns a picture of a phone's first screen in twice its resolution, small enough for a README (WebP). */
export async function portrait(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 80,
    clip: { x: 0, y: 0, width: PHONE.width, height: PHONE.height, scale: 2 },
  })
  await devtools.detach()
  return Buffer.from(data, 'base64')
}

async function wear(page: Page, devtools: CDPSession, look: Look) {
  const { width, height, isTouch = false, colorScheme = 'light', forcedColors = 'none' } = look
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: isTouch })
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme, forcedColors, reducedMotion: 'reduce' })
  await page.evaluate((size) => {
    document.documentElement.style.fontSize = size
  }, look.textSize ?? '')
  await speak(page, look.language ?? 'en')
  await page.evaluate(() => {
    scrollTo(0, 0)
    return document.fonts.ready.then(() => new Promise(requestAnimationFrame))
  })
}

async function speak(page: Page, language: string): Promise<void> {
  const menu = page.locator('.language select').first()
  if ((await menu.count()) === 0 || (await menu.inputValue()) === language) return
  // The menu may be folded, or behind a dialog.
  await menu.selectOption(language, { force: true })
  await page.waitForFunction((wanted) => document.documentElement.lang.startsWith(wanted), language)
}
