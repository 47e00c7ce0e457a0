import { type HtmlPage, toPage } from './htmlPage.ts'

/** The same sentences as in the fan's page. */
const TEXTS = {
  en: ['There is no such event', 'Check the address: a part of it may be missing.'],
  de: ['Diese Veranstaltung gibt es nicht', 'Prüfe die Adresse: Vielleicht fehlt ein Teil davon.'],
  fr: ['Cet événement n’existe pas', 'Vérifiez l’adresse : il en manque peut-être une partie.'],
  es: ['Este evento no existe', 'Revisa la dirección: puede que falte una parte.'],
  ar: ['لا توجد فعالية بهذا العنوان', 'تحقّق من العنوان: ربما ينقصه جزء.'],
} as const

const PAGES: ReadonlyMap<string, HtmlPage> = new Map(
  Object.entries(TEXTS).map(([language, [title, hint]]) => [language, toPage(draw(language, title, hint))]),
)

/**
 * Returns the page for an address without an event, in the first of the page's languages that the header names, else in
 * English. The page loads nothing: made-up addresses must stay cheap.
 */
export function notFoundPage(acceptLanguage = ''): HtmlPage {
  for (const asked of acceptLanguage.slice(0, MOST_READ).split(',')) {
    const page = PAGES.get(asked.trim().slice(0, 2).toLowerCase())
    if (page) return page
  }
  return PAGES.get('en') as HtmlPage
}

/** Of the header, in characters: browsers send their languages in the order of preference. */
const MOST_READ = 200

function draw(language: string, title: string, hint: string): string {
  return `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
:root { --paper: #f2f5f4; --ink: #0e1a1d; --muted: #4d5e62; --go: #00625b; --bar: #d23c72 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0b1113; --ink: #ebf2f1; --muted: #9eb0b3; --go: #62d8c8; --bar: #ff7aa6 }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif }
main { max-width: 40rem; margin: 18vh auto 0; padding: 0 1rem }
svg { width: 2.5rem; fill: none; stroke: var(--go); stroke-width: 2.6; stroke-linecap: round }
h1 { margin: 1rem 0 0.5rem; font-size: clamp(1.75rem, 1.2rem + 2.6vw, 2.75rem); line-height: 1.1 }
p { margin: 0; color: var(--muted) }
</style>
<main>
<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 21V10a8 8 0 0 1 16 0v11"/><path stroke="var(--bar)" d="M12 21v-8"/></svg>
<h1>${title}</h1>
<p>${hint}</p>
</main>
</html>
`
}
