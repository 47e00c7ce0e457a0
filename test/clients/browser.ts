import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, expect, onTestFinished } from 'vitest'
import { buildPage } from '../../embedded/page.ts'
import { freePort } from '../../embedded/processes.ts'
import { startJobs } from '../../src/jobs/index.ts'
import { findHeadless } from '../support/chromium.ts'
import { testServer } from '../support/server.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Builds the page and serves it with the whole system: API, jobs, database, Redis. `variables`: of the environment. */
export async function pageServer(variables: Record<string, string> = {}) {
  await buildPage(fileURLToPath(new URL('../..', import.meta.url)))
  const port = await freePort()
  const server = await testServer({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...variables,
  })
  const jobs = await startJobs(server.app)
  afterAll(() => jobs.close(5_000))
  return server
}

/** Independent browser contexts in one Chromium for the test file, by default in its headless shell. */
export function browsers(find = findHeadless) {
  let launched: Promise<Browser> | undefined
  const launch = () => chromium.launch({ executablePath: find(), args: FLAGS })
  afterAll(async () => (await launched)?.close())
  return {
    /** Opens the address in a new fan's browser. An error on the page fails the test. */
    async visit(url: string, options: BrowserContextOptions = {}): Promise<Page> {
      launched ??= launch()
      const context = await (await launched).newContext({
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        viewport: { width: 1280, height: 900 },
        ...options,
      })
      const page = await context.newPage()
      page.setDefaultTimeout(30_000)
      page.on('pageerror', (error) => expect.soft(error.message, 'thrown by the page').toBeUndefined())
      // A page that stays open would slow down the tests after it.
      onTestFinished(async ({ task }) => {
        if (task.result?.state === 'fail') {
          const seen = await page.locator('body').ariaSnapshot({ timeout: 1_000 }).catch(String)
          process.stderr.write(`The content of ${page.url()}:\n${seen}\n`)
        }
        await context.close()
      })
      await page.goto(url)
      return page
    },
  }
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Expects that axe-core finds no accessibility fault, in light and dark colours. */
export async function expectAccessible(page: Page, step: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // Only the contrast differs in the dark.
    const rules = colorScheme === 'light' ? '' : ", runOnly: ['color-contrast']"
    // Without reduced motion axe would measure colours in the middle of a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe)
    const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations']${rules} })`)
    const found = violations.map(({ id, help, nodes }) => ({
      id,
      help,
      at: nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`),
    }))
    expect(found, `${step}, ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
}

/** Presses Tab until an element with this accessible text has the focus. */
export async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    const name = await page.evaluate(() => {
      const focused = document.activeElement as HTMLElement | null
      if (!focused || focused === document.body) return ''
      const label = focused.id
        ? document.querySelector(`label[for="${focused.id}"]`)
        : focused.closest('label')
      return focused.getAttribute('aria-label') ?? label?.textContent ?? focused.textContent ?? ''
    })
    if (name.includes(text)) return
  }
  throw new Error(`"${text}" has no focus after 60 Tab presses`)
}
