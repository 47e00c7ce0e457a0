import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import * as cli from '../../../clients/cli/draw.ts'
import { commitmentOf, drawPlace } from '../../../clients/web/src/draw/drawPlace.ts'
import { note, readNoted } from '../../../clients/web/src/draw/noted.ts'

test('the browser computes the places of the published vector', async () => {
  const draw = { eventId: 'evt_test', seed: '00'.repeat(32), size: 10, beacon: '' }
  const places: number[] = []
  for (let arrival = 1; arrival <= 10; arrival++) places.push(await drawPlace(draw, arrival))
  expect(places).toEqual([3, 7, 5, 9, 6, 4, 2, 10, 1, 8])
})

test('the browser and the command agree on a draw that takes several batches of digests', async () => {
  const seed = randomBytes(32).toString('hex')
  const draw = { eventId: 'evt_large', seed, size: 40_000, beacon: 'a round of public randomness' }
  const places = cli.placesOf(draw)
  const shares: number[] = []
  expect(await drawPlace(draw, 4_711, (share) => shares.push(share))).toBe(places[4_710])
  expect(shares.length).toBeGreaterThan(2)
  expect(shares.at(-1)).toBe(1)
  expect(await commitmentOf(seed)).toBe(cli.commitmentOf(seed))
})

test('what a device noted before the draw cannot be changed after it', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage
  const position = { eventId: 'evt_1', arrival: 7 } as never
  const draw = (commitment: string, seed: string | null) =>
    ({ commitment, seed, beaconSource: null }) as never
  note(storage, position, draw('early', null), 1)
  note(storage, position, draw('forged', null), 2)
  expect(readNoted(storage, 'evt_1', 7)).toMatchObject({ commitment: 'early', at: 1 })
  note(storage, { eventId: 'evt_1', arrival: 8 } as never, draw('late', 'seed'), 3)
  expect(readNoted(storage, 'evt_1', 8)).toBeNull()
})
