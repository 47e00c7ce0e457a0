import type { Draw as DrawState, QueuePosition } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'

/** What the draw is about to do, or did, with this place; and what it takes to check that. */
export function Draw({ page, position }: { page: Page; position: QueuePosition }) {
  const draw = page.sale.value?.waitingRoom?.draw
  const eventId = page.event.value?.id
  if (!draw || !eventId || position.arrival === 0) return null
  return (
    <div class="draw">
      <p>{whatHappens(draw, position)}</p>
      <details>
        <summary>{draw.seed === null ? 'How this can be checked later' : 'Check the draw'}</summary>
        <p>
          {draw.seed === null
            ? 'Note the commitment and your arrival now. It stands for a secret number that was chosen before anybody could join; at the draw the number is published, and from it whoever likes can work every place out.'
            : 'The seed is what the commitment stood for, and every place follows from what is here. This command, of Fairgate’s own program, works yours out and compares; it can be done by hand as well:'}
        </p>
        {draw.seed !== null && <code>{command(eventId, position, draw)}</code>}
        <dl>
          <Fact name="Event" value={eventId} />
          <Fact name="Your arrival" value={position.arrival} />
          {position.place !== null && <Fact name="Your place" value={position.place} />}
          {draw.size !== null && <Fact name="In the draw" value={draw.size} />}
          <Fact name="Commitment" value={draw.commitment} />
          {draw.seed !== null && <Fact name="Seed" value={draw.seed} />}
          {draw.beaconSource !== null && <Fact name="Public randomness from" value={draw.beaconSource} />}
          {draw.beacon !== '' && <Fact name="Public randomness" value={draw.beacon} />}
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
  const came = `You were number ${arrival.toLocaleString()} to join.`
  if (size === null)
    return `${came} When the sale opens, everybody who is here by then is drawn into a random order: early or late makes no difference.`
  if (size === 0) return `${came} Nobody had joined before the opening: there was nothing to draw.`
  if (arrival > size)
    return `${came} Those who joined before the opening (${size.toLocaleString()}) were drawn first; you come after them, in order of arrival.`
  if (seed === null || place === null)
    return beaconSource !== null && seed === null
      ? `${came} The line is closed for the draw, with ${size.toLocaleString()} in it, and waits for public randomness: ${beaconSource}.`
      : `${came} The draw is being made.`
  return `${came} In the draw you got place ${place.toLocaleString()} of ${size.toLocaleString()}.`
}

function command(eventId: string, { arrival, place }: QueuePosition, { commitment }: DrawState): string {
  const address = `${location.origin}/events/${eventId}/waiting-room.json`
  const placed = place === null ? '' : ` --place ${place}`
  return `npm run fairgate -- verify-draw ${address} --arrival ${arrival}${placed} --commitment ${commitment}`
}
