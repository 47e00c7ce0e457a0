import type { Draw, QueuePosition } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'

/** The data to check a place without this page, and the command that does it. */
export function CheckElsewhere({
  eventId,
  draw,
  position,
}: {
  eventId: string
  draw: Draw
  position: QueuePosition
}) {
  return (
    <details>
      <summary>{draw.seed === null ? t('line.howToCheckLater') : t('line.checkElsewhere')}</summary>
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
  )
}

function Fact({ name, value }: { name: string; value: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="ltr">{value}</dd>
    </div>
  )
}

function command(eventId: string, { arrival, place }: QueuePosition, { commitment }: Draw): string {
  const address = `${location.origin}/events/${eventId}/waiting-room.json`
  const placed = place === null ? '' : ` --place ${place}`
  return `npm run fairgate -- verify-draw ${address} --arrival ${arrival}${placed} --commitment ${commitment}`
}
