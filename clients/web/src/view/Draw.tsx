import type { Draw as DrawState, QueuePosition } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'

/** Explains how the draw decides, or decided, this place, and shows the data to check it. */
export function Draw({ page, position }: { page: Page; position: QueuePosition }) {
  const draw = page.sale.value?.waitingRoom?.draw
  const eventId = page.event.value?.id
  if (!draw || !eventId || position.arrival === 0) return null
  return (
    <div class="draw">
      <p>{whatHappens(draw, position)}</p>
      <details>
        <summary>{draw.seed === null ? t('line.howToCheckLater') : t('line.checkDraw')}</summary>
        <p>{draw.seed === null ? t('line.noteNow') : t('line.computeYourself')}</p>
        {draw.seed !== null && <code>{command(eventId, position, draw)}</code>}
        <dl>
          <Fact name={t('line.event')} value={eventId} />
          <Fact name={t('line.yourArrival')} value={position.arrival} />
          {position.place !== null && <Fact name={t('line.place')} value={position.place} />}
          {draw.size !== null && <Fact name={t('line.inDraw')} value={draw.size} />}
          <Fact name={t('line.commitment')} value={draw.commitment} />
          {draw.seed !== null && <Fact name={t('line.seed')} value={draw.seed} />}
          {draw.beaconSource !== null && <Fact name={t('line.randomnessFrom')} value={draw.beaconSource} />}
          {draw.beacon !== '' && <Fact name={t('line.randomness')} value={draw.beacon} />}
        </dl>
      </details>
    </div>
  )
}

function Fact({ name, value }: { name: string; value: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
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

function command(eventId: string, { arrival, place }: QueuePosition, { commitment }: DrawState): string {
  const address = `${location.origin}/events/${eventId}/waiting-room.json`
  const placed = place === null ? '' : ` --place ${place}`
  return `npm run fairgate -- verify-draw ${address} --arrival ${arrival}${placed} --commitment ${commitment}`
}
