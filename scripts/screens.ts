// npm run screens -- <address of Fairgate with the sandbox> <folder> [journey…]: makes a picture of every screen of the fan's page
// in every size, colour and language. It creates the events through the API of a running `npm start`, and walks them in Chromium.
// index.html in the folder shows all pictures side by side; the .webp files are those of the README. Prints every screen that is
// wider than its window.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { findChromium } from '../test/support/chromium.ts'
import { JOURNEYS } from './screens/journeys.ts'
import { inEveryLook, LOOK_NAMES, portrait } from './screens/looks.ts'
import { organizer } from './screens/sales.ts'

const [address, folder, ...wanted] = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(JOURNEYS, name))
if (address === undefined || !URL.canParse(address) || folder === undefined || unknown.length > 0) {
  process.stderr.write(
    `Give an address and a folder: npm run screens -- http://localhost:4000 screens\nThe journeys are: ${Object.keys(JOURNEYS).join(', ')}.\n`,
  )
  process.exit(1)
}

await mkdir(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
const screens: string[] = []
try {
  const url = new URL(address).origin
  const studio = { url, browser, organizer: await organizer(url), shoot }
  for (const [name, walk] of Object.entries(JOURNEYS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stdout.write(`${name}\n`)
    await walk(studio)
  }
} finally {
  await writeFile(join(folder, 'index.html'), gallery())
  await browser.close()
}

async function shoot(page: Parameters<typeof inEveryLook>[0], screen: string): Promise<void> {
  screens.push(screen)
  process.stdout.write(`  ${screen}\n`)
  await inEveryLook(page, async (look, picture, overflow) => {
    await writeFile(join(folder as string, `${screen}.${look}.png`), picture)
    if (overflow > 0) process.stdout.write(`    ${look}: ${overflow} px wider than the window\n`)
  })
  await writeFile(join(folder as string, `${screen}.webp`), await portrait(page))
}

function gallery(): string {
  const rows = screens.map((screen) => {
    const pictures = LOOK_NAMES.map(
      (look) => `<figure><img src="${screen}.${look}.png" alt=""><figcaption>${look}</figcaption></figure>`,
    )
    return `<section id="${screen}"><h2>${screen}</h2><div>${pictures.join('')}</div></section>`
  })
  return `<!doctype html><meta charset="utf-8"><title>Screens</title><style>
body { font: 14px system-ui; background: #888 }
div { display: flex; gap: 12px; align-items: start }
figure { margin: 0 }
img { display: block; max-height: 900px; zoom: 0.6 }
</style>${rows.join('')}`
}
