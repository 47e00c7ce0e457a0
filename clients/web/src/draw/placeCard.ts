/** The lines of a card to share, already in the fan's language. */
export interface PlaceCard {
  readonly event: string
  readonly label: string
  readonly place: string
  readonly of: string
  readonly checked: string
  readonly address: string
  readonly direction: 'ltr' | 'rtl'
}

/** The size that social networks show whole. */
const [WIDTH, HEIGHT] = [1_200, 630]
const MARGIN = 80
const FONT = 'Archivo,sans-serif'

/** Draws the card as a PNG image. */
async function drawCard(card: PlaceCard): Promise<Blob> {
  await document.fonts.ready
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.fillStyle = '#0b1113'
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.fillStyle = '#62d8c8'
  context.fillRect(0, 0, WIDTH, 14)
  context.direction = card.direction
  context.textAlign = 'start'
  const start = card.direction === 'rtl' ? WIDTH - MARGIN : MARGIN
  const line = (text: string, y: number, size: number, weight: number, color: string) => {
    context.fillStyle = color
    context.font = `${weight} ${size}px ${FONT}`
    context.fillText(text, start, y, WIDTH - 2 * MARGIN)
  }
  line(card.event, 120, 46, 700, '#ebf2f1')
  line(card.label, 200, 32, 500, '#9eb0b3')
  line(card.place, 390, 200, 800, '#62d8c8')
  line(card.of, 450, 36, 600, '#ebf2f1')
  line(card.checked, 530, 30, 500, '#ebf2f1')
  line(card.address, 580, 26, 400, '#9eb0b3')
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the card is empty')))),
  )
}

/** Hands the card to the device's share sheet; where it has none, saves it as a file. */
export async function shareCard(card: PlaceCard): Promise<void> {
  const file = new File([await drawCard(card)], 'place.png', { type: 'image/png' })
  if (navigator.canShare?.({ files: [file] })) {
    // A fan who closes the share sheet has not failed.
    await navigator.share({ files: [file], url: location.href }).catch(() => undefined)
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = file.name
  link.click()
  URL.revokeObjectURL(link.href)
}
