/** The page's text size in pixels: larger where the fan has set larger texts. */
export function remOf(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
}
