import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newEventId, newId, planId } from '../../../src/sale/ids.ts'
import { createTokens } from '../../../src/sale/tokens/tokens.ts'
import { eventOf } from '../../../src/server/graphql/eventOf.ts'

const eventId = newEventId()
const claims = { eventId, accountId: 'ann', device: new Uint8Array(8), arrival: 7 }
const tokens = createTokens({ tokens: [{ kid: 'k'.repeat(40), secret: randomBytes(32) }] })

test('an operation belongs to the event that any id or token in its variables names', () => {
  const named = [
    eventId,
    ...(['hld', 'ord', 'tkt', 'wle', 'rfd'] as const).map((kind) => newId(kind, eventId)),
    ...(['seat', 'sec', 'lvl'] as const).map((kind) => planId(kind, eventId, 12)),
    tokens.signQueueToken(claims),
    tokens.signAdmissionToken({ ...claims, place: 3, expiresAt: new Date() }),
  ]
  for (const id of named) {
    expect(eventOf({ id })).toBe(eventId)
    expect(eventOf({ input: { quantity: 2, key: 'a-b', nothing: null, selection: { seats: [id] } } })).toBe(
      eventId,
    )
  }
})

test('other variables name no event, whatever they contain', () => {
  const texts = [
    '',
    'evt_',
    'evt_A',
    'ord_x',
    'evt_x_1',
    ' evt_x',
    'ey',
    'ey.',
    'eyJ.eyJ',
    `ey.${'é'.repeat(90)}`,
    'x.eyJl',
  ]
  for (const text of texts) expect([text, eventOf({ text })]).toEqual([text, undefined])
  expect(eventOf(null)).toBeUndefined()
  expect(eventOf(undefined)).toBeUndefined()
  expect(eventOf({ many: [...Array(50).fill(0), eventId] })).toBeUndefined()
  let deep: object = { eventId }
  for (let i = 0; i < 60; i++) deep = { deep }
  expect(eventOf({ deep })).toBeUndefined()
})
