/** Uses the organizer's colour. The style sheet adapts it until it is legible on the page, in light and dark. */
export function useAccent(color: string | null): void {
  const { style } = document.documentElement
  if (color) style.setProperty('--accent', color)
  else style.removeProperty('--accent')
}
