import { render } from 'preact'
import { createFairgate, storedSession } from '../../sdk/index.ts'
import { createPage } from './model/page.ts'
import { registerServiceWorker } from './serviceWorker/register.ts'
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
  render(<App page={page} />, place)
  void page.open()
} else {
  void import('./view/Me.tsx').then(({ Me }) => render(<Me fairgate={fairgate} />, place))
}
registerServiceWorker()
