import { useEffect } from 'preact/hooks'
import type { Draw as DrawState, QueuePosition } from '../../../sdk/index.ts'
import { note } from '../draw/noted.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { CheckElsewhere } from './CheckElsewhere.tsx'
import { CheckPlace } from './CheckPlace.tsx'

/** Explains how the draw decides, or decided, this place, and checks it. */
export function Draw({ page, position }: { page: Page; position: QueuePosition }) {
  const draw = page.sale.value?.waitingRoom?.draw
  const eventId = page.event.value?.id
  useEffect(() => {
    if (draw) note(localStorage, position, draw, page.time.now.peek())
  }, [draw?.commitment, position.arrival])
  if (!draw || !eventId || position.arrival === 0) return null
  const isMade = draw.seed !== null && draw.size !== null && position.place !== null
  return (
    <section class="draw">
      <h2>{isMade ? t('line.fairDraw') : t('line.drawToCome')}</h2>
      <p>{whatHappens(draw, position)}</p>
      {isMade && draw.size !== 0 ? (
        <CheckPlace page={page} draw={draw} position={position} />
      ) : isMade ? null : (
        <p>{t('line.notedHere')}</p>
      )}
      <CheckElsewhere eventId={eventId} draw={draw} position={position} />
    </section>
  )
}

function whatHappens({ seed, size, beaconSource }: DrawState, { arrival, place }: QueuePosition): string {
  if (size === null) return t('line.joinedBefore', { arrival })
  if (size === 0) return t('line.noDraw', { arrival })
  if (arrival > size) return t('line.joinedAfter', { arrival, size })
  if (seed === null || place === null)
    return beaconSource !== null && seed === null
      ? t('line.waitsForRandomness', { arrival, size, source: beaconSource })
      : t('line.drawInProgress', { arrival })
  return t('line.drawn', { arrival, place, size })
}
