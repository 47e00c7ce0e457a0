import { useEffect } from 'preact/hooks'
import type { Section } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { Basket } from './Basket.tsx'
import { Draw } from './Draw.tsx'
import { Hall } from './Hall.tsx'
import { SectionView } from './SectionView.tsx'

/** The hall or one section's seats, and the chosen seats. A fan who is admitted at once sees the draw only here. */
export function Seats({ page }: { page: Page }) {
  const { choice, event } = page
  const position = page.line.position.value
  useSectionInAddress(page)
  const section = choice.section.value
  const open = (next: Section | null) => {
    // The browser's back button leads from a section to the hall.
    history.pushState(null, '', next ? `#${encodeURIComponent(next.key)}` : location.pathname)
    choice.open(next)
  }
  if (!event.value) return null
  return (
    <div class={section || choice.chosen.value.length ? 'inside' : 'inside looking'}>
      {section ? (
        <SectionView page={page} section={section} back={() => open(null)} />
      ) : (
        <div>
          <Hall page={page} title={t('map.chooseSection')} open={open} />
          {position && <Draw page={page} position={position} />}
        </div>
      )}
      <Basket page={page} />
    </div>
  )
}

function useSectionInAddress({ choice, event }: Page) {
  useEffect(() => {
    function follow() {
      const key = decodeURIComponent(location.hash.slice(1))
      choice.open(event.value?.sections.find((section) => section.key === key) ?? null)
    }
    follow()
    addEventListener('popstate', follow)
    return () => removeEventListener('popstate', follow)
  }, [])
}
