import { expect, test } from 'vitest'
import { createReservations } from '../../src/payments/reservations.ts'
import { createSlots, type Release } from '../../src/payments/slots.ts'

const PATIENCE_MS = 60_000
const SMALL = Array.from({ length: 39 }, (_, i) => `evt_small${i}`)

test('behind the checkouts of a crowd, those of 39 other events get their slots in rotation', async () => {
  const slots = createSlots(80)
  const held = await Promise.all(
    Array.from({ length: 80 }, () => slots.take('checkout', 'evt_crowd', PATIENCE_MS)),
  )
  const served: string[] = []
  const releases: Release[] = []
  let refused = 0
  const take = (event: string) =>
    slots.take('checkout', event, PATIENCE_MS).then(
      (release) => {
        served.push(event)
        releases.push(release)
      },
      () => refused++,
    )
  const all = Array.from({ length: 100 }, () => take('evt_crowd'))
  all.push(...SMALL.map(take))
  for (const release of held.splice(0, 40)) release()
  await Promise.resolve()
  await expect.poll(() => served.length).toBe(40)
  expect(served).toEqual(['evt_crowd', ...SMALL])
  for (const release of held) release()
  await expect.poll(() => served.length).toBe(80)
  // Twenty found no place to wait, and 39 lost theirs to the other events.
  expect(refused).toBe(59)
  for (const release of releases) release()
  await Promise.all(all)
})

test('a caller that gave up waiting takes no slot', async () => {
  const slots = createSlots(1)
  const release = await slots.take('checkout', 'evt_a', PATIENCE_MS)
  await expect(slots.take('checkout', 'evt_a', 1)).rejects.toThrow()
  const next = slots.take('checkout', 'evt_b', PATIENCE_MS)
  release()
  ;(await next)()
  ;(await slots.take('checkout', 'evt_a', 0))()
})

test('checkouts of a crowd under way do not refuse those of other events, and their number is bounded', () => {
  const reservations = createReservations(40)
  const begun = (event: string, times: number) =>
    Array.from({ length: times }, () => reservations.begin(event)).filter(Boolean).length
  expect(begun('evt_crowd', 100)).toBe(40)
  expect(SMALL.map((event) => begun(event, 1))).toEqual(Array(39).fill(1))
  // Even shares of 40 for 40 events are one each.
  expect(SMALL.map((event) => begun(event, 5))).toEqual(Array(39).fill(0))
  expect(begun('evt_another', 5)).toBe(1)
  expect(begun('evt_late', 5)).toBe(0)
  for (let i = 0; i < 41; i++) reservations.end(i < 40 ? 'evt_crowd' : 'evt_another')
  for (const event of SMALL) reservations.end(event)
  expect(begun('evt_crowd', 100)).toBe(40)
})
