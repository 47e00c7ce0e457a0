import { render } from 'preact'
import { createFairgate, storedSession } from '../../sdk/index.ts'
import { loadTexts } from './i18n/texts.ts'
import { createPage } from './model/page.ts'
import { App } from './view/App.tsx'

const RETRY_MS = 2_000
const TRIES_BEFORE_RELOAD = 3

const slug = decodeURIComponent(/^\/e\/([^/]+)/.exec(location.pathname)?.[1] ?? '')
const fairgate = createFairgate({
  url: location.origin,
  roomUrl: document.querySelector<HTMLMetaElement>('meta[name="fairgate-room"]')?.content,
  session: storedSession(localStorage, slug),
})
const page = createPage(fairgate, slug)

// The texts and the event load at the same time. Without its texts the page can say nothing, not even that they are missing.
const texts = loadWithPatience()
void page.open(texts)
await texts
const root = document.getElementById('page') as HTMLElement
root.replaceChildren()
render(<App page={page} />, root)

async function loadWithPatience() {
  for (let tries = 1; ; tries++) {
    try {
      return await loadTexts('page')
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      // Some browsers remember a failed import: after a few tries only a reload helps.
      if (tries % TRIES_BEFORE_RELOAD === 0 && navigator.onLine) location.reload()
    }
  }
}
