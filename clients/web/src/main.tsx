import { render } from 'preact'
import { createFairgate, storedSession } from '../../sdk/index.ts'
import { loadTexts } from './i18n/texts.ts'
import { createPage } from './model/page.ts'
import { App } from './view/App.tsx'

const slug = decodeURIComponent(/^\/e\/([^/]+)/.exec(location.pathname)?.[1] ?? '')
const fairgate = createFairgate({
  url: location.origin,
  roomUrl: document.querySelector<HTMLMetaElement>('meta[name="fairgate-room"]')?.content,
  session: storedSession(localStorage, slug),
})
const place = document.getElementById('page') as HTMLElement

if (location.pathname.startsWith('/e/')) {
  const page = createPage(fairgate, slug)
  await loadTexts('page')
  render(<App page={page} />, place)
  void page.open()
} else {
  const [{ Me }] = await Promise.all([import('./view/Me.tsx'), loadTexts('page', 'tickets')])
  render(<Me fairgate={fairgate} />, place)
}
