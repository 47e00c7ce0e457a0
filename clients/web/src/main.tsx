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
const page = createPage(fairgate, slug)

await loadTexts('page')
render(<App page={page} />, document.getElementById('page') as HTMLElement)
void page.open()
