// npm run page-speed -- <address of an event's page>: measures how fast the page shows itself on a phone. It loads the page
// with an empty cache on slow 4G (1.6 Mbit/s, 150 ms) with a CPU of a quarter of this machine's, several times, and prints
// the medians: the largest contentful paint (web.dev asks for 2.5 s), the layout shift (0) and the bytes on the wire.
import { chromium } from 'playwright-core'
import { findChromium } from '../test/support/chromium.ts'

const RUNS = 5
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}
const CPU_SLOWDOWN = 4
/** After the last request: a late font or image may still move the page. */
const SETTLE_MS = 1_000

interface Measured {
  paint: number
  shift: number
  bytes: number
}

const [address] = process.argv.slice(2)
if (address === undefined || !URL.canParse(address)) {
  process.stderr.write(
    'Give the address of an event’s page: npm run page-speed -- http://localhost:4000/e/demo\n',
  )
  process.exit(1)
}

const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
try {
  const runs: Measured[] = []
  for (let run = 0; run < RUNS; run++) runs.push(await measure(address))
  const median = (of: (run: Measured) => number) =>
    runs.map(of).sort((a, b) => a - b)[Math.floor(RUNS / 2)] as number
  process.stdout.write(`${address}, slow 4G, CPU / ${CPU_SLOWDOWN}, median of ${RUNS} loads with an empty cache
  largest contentful paint   ${(median(({ paint }) => paint) / 1_000).toFixed(2)} s   (at most 2.50)
  cumulative layout shift    ${median(({ shift }) => shift).toFixed(4)}   (0)
  bytes on the wire          ${(median(({ bytes }) => bytes) / 1_000).toFixed(1)} kB   (at most 100)
`)
} finally {
  await browser.close()
}

async function measure(url: string): Promise<Measured> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
  })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_4G)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await page.addInitScript(() => {
    const seen = { paint: 0, shift: 0 }
    Object.assign(globalThis, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.paint = Math.max(seen.paint, entry.startTime)
    }).observe({ type: 'largest-contentful-paint', buffered: true })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        seen.shift += (entry as PerformanceEntry & { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.waitForTimeout(SETTLE_MS)
  const seen = await page.evaluate(
    () => (globalThis as unknown as { seen: { paint: number; shift: number } }).seen,
  )
  await context.close()
  return { ...seen, bytes }
}
