import { expect, test } from 'vitest'
import { placesOf } from '../../../../clients/cli/draw.ts'
import { insertEvent } from '../../../support/event.ts'
import { nextTick } from '../../../support/room.ts'
import { testServer } from '../../../support/server.ts'

const { app, db, url, ask, token } = await testServer()

const JOIN = `mutation ($id: ID!) { joinQueue(input: { eventId: $id }) {
  ... on QueuePosition { arrival queueToken } } }`
const POSITION = `query ($token: String!) { queuePosition(queueToken: $token) {
  place position estimatedWaitSeconds paused } }`

interface Position {
  place: number
  position: number | null
  estimatedWaitSeconds: number | null
  paused: boolean
}

/** Computes a position as docs/clients.md describes: from the public state and the arrival index. */
function compute(sale: Awaited<ReturnType<typeof published>>, arrival: number): Position {
  const { admittedUpTo, admissionRate, paused, draw } = sale.waitingRoom
  const isLate = arrival > draw.size
  const place = isLate ? arrival : (placesOf({ eventId: sale.eventId, ...draw })[arrival - 1] as number)
  const position = place > admittedUpTo ? place - admittedUpTo : null
  const mayEstimate = position !== null && !paused && admissionRate > 0
  const wait = mayEstimate ? Math.ceil((position - 1) / admissionRate) : null
  return { place, position, estimatedWaitSeconds: wait, paused }
}

async function published(id: string) {
  const response = await fetch(`${url}/events/${id}/waiting-room.json`)
  return (await response.json()) as {
    eventId: string
    waitingRoom: {
      admittedUpTo: number
      admissionRate: number
      paused: boolean
      draw: { seed: string; size: number; beacon: string }
    }
  }
}

test('a page computes the same position from the public state as queuePosition returns', async () => {
  const event = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 60,
    sections: [{ seats: 400 }],
    rate: 2,
  })
  const { id } = event
  const join = async (name: string) => {
    const who = { token: await token(name), device: `phone of ${name}` }
    return { who, ...(await ask(JOIN, { id }, who)).data.joinQueue }
  }
  const line = [await join('early')]
  for (let i = 1; i < 9; i++) line.push(await join(`early ${i}`))
  for (const table of ['sales', 'rooms'])
    await db.sql(`update ${table} set opens_at = now() - interval '1 ms' where event_id = $1`, [id])
  await app.sales.refresh(id)
  // No place is called before this process has the places.
  await expect.poll(() => nextTick(app, id), { timeout: 20_000 }).toMatchObject({ called: 2 })
  for (let i = 0; i < 3; i++) line.push(await join(`late ${i}`))

  const expectTheSame = async (paused: boolean, admittedUpTo: number) => {
    await expect
      .poll(() => published(id), { timeout: 20_000 })
      .toMatchObject({ waitingRoom: { admittedUpTo, paused, draw: { size: 9 } } })
    const sale = await published(id)
    const positions: Position[] = []
    for (const { who, queueToken, arrival } of line) {
      const computed = compute(sale, arrival)
      const { data } = await ask(POSITION, { token: queueToken }, who)
      positions.push(data.queuePosition)
      expect(computed, `arrival ${arrival}`).toEqual(data.queuePosition)
    }
    expect(new Set(positions.map(({ place }) => place)).size).toBe(line.length)
    return positions.filter(({ estimatedWaitSeconds }) => estimatedWaitSeconds !== null).length
  }
  expect(await expectTheSame(false, 2)).toBe(10)
  await nextTick(app, id)
  expect(await expectTheSame(false, 4)).toBe(8)
  await app.waitingRoom.setAdmission(id, { paused: true })
  expect(await expectTheSame(true, 4)).toBe(0)
})
