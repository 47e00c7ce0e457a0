import { LOOKS } from './seatStates.ts'

const PROBES = [...LOOKS, 'chosen', 'stranded', 'tick', 'rowlabel', 'ground'] as const

/** The colours in which a canvas draws, as the style sheet gives them at this moment. */
export interface SeatColors {
  /** Of the free seats of each price level, by index, with the colour of a number on it. */
  readonly levels: readonly { readonly fill: string; readonly ink: string }[]
  /** The typeface of the numbers. */
  readonly font: string
  readonly looks: Readonly<Record<(typeof PROBES)[number], string>>
}

/** Reads the colours from hidden elements, so that dark mode, forced colours and the organizer's colours all apply. */
export function readSeatColors(host: HTMLElement, colors: readonly string[]): SeatColors {
  const probe = document.createElement('span')
  probe.className = 'probe'
  host.append(probe)
  const colorOf = (name: string) => {
    probe.className = `probe ${name}`
    return getComputedStyle(probe).color
  }
  const looks = Object.fromEntries(PROBES.map((name) => [name, colorOf(name)])) as SeatColors['looks']
  const levels = colors.map((color) => {
    probe.style.setProperty('--level', color)
    const fill = colorOf('level')
    return { fill, ink: inkOn(fill) }
  })
  const font = getComputedStyle(probe).fontFamily
  probe.remove()
  return { levels, font, looks }
}

let pixel: CanvasRenderingContext2D | null = null

/** Black or white, whichever has more contrast on the colour (WCAG's relative luminance). */
function inkOn(color: string): string {
  pixel ??= new OffscreenCanvas(1, 1).getContext('2d') as unknown as CanvasRenderingContext2D
  pixel.fillStyle = color
  pixel.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data
  const linear = (value: number) => (value <= 10 ? value / 3_295 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  return luminance > 0.179 ? '#000' : '#fff'
}
