import { render } from 'preact'
import { createFairgate, storedSession } from '../../sdk/index.ts'
import { type Group, loadTexts } from './i18n/texts.ts'
import { decoded } from './model/address.ts'
import { createPage } from './model/page.ts'
import { App } from './view/App.tsx'

const RETRY_MS = 2_000
const TRIES_BEFORE_RELOAD = 3

const slug = decoded(/^\/e\/([^/]+)/.exec(location.pathname)?.[1] ?? '') ?? ''
const fairgate = createFairgate({
  url: location.origin,
  roomUrl: document.querySelector<HTMLMetaElement>('meta[name="fairgate-room"]')?.content,
  session: storedSession(localStorage, slug),
})
const place = document.getElementById('page') as HTMLElement

if (location.pathname.startsWith('/e/')) {
  const page = createPage(fairgate, slug)
  // The texts and the event load at the same time.
  const texts = loadWithPatience('page')
  void page.open(texts)
  await texts
  place.replaceChildren()
  render(<App page={page} />, place)
} else {
  const [{ Me }] = await Promise.all([import('./view/Me.tsx'), loadWithPatience('page', 'tickets')])
  place.replaceChildren()
  render(<Me fairgate={fairgate} />, place)
}

/** Without its texts the page can say nothing, not even that they are missing. */
async function loadWithPatience(...groups: readonly Group[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await loadTexts(...groups)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      // Some browsers remember a failed import: after a few tries only a reload helps.
      if (tries % TRIES_BEFORE_RELOAD === 0 && navigator.onLine) location.reload()
    }
  }
}
