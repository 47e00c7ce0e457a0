import type { Draw as DrawState, QueuePosition } from '../../../sdk/index.ts'
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
        <summary>{draw.seed === null ? 'How this can be checked later' : 'Check the draw'}</summary>
        <p>
          {draw.seed === null
            ? 'Note the commitment and your arrival now. The commitment belongs to a secret number that was chosen before the line opened. The number is published at the draw, and anyone can then compute every place from it.'
            : 'The seed is the number that belongs to the commitment, and every place follows from the data here. This command of Fairgate’s own program computes your place and compares it. You can also compute it yourself:'}
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
    return `${came} When the sale opens, all fans who have joined by then are put into a random order. It does not matter who joined first.`
  if (size === 0) return `${came} No one joined before the opening, so there was no draw.`
  if (arrival > size)
    return `${came} The ${size.toLocaleString()} fans who joined before the opening were drawn first. You come after them, in order of arrival.`
  if (seed === null || place === null)
    return beaconSource !== null && seed === null
      ? `${came} The draw has ${size.toLocaleString()} fans and waits for public randomness: ${beaconSource}.`
      : `${came} The draw is in progress.`
  return `${came} In the draw you got place ${place.toLocaleString()} of ${size.toLocaleString()}.`
}

function command(eventId: string, { arrival, place }: QueuePosition, { commitment }: DrawState): string {
  const address = `${location.origin}/events/${eventId}/waiting-room.json`
  const placed = place === null ? '' : ` --place ${place}`
  return `npm run fairgate -- verify-draw ${address} --arrival ${arrival}${placed} --commitment ${commitment}`
}
