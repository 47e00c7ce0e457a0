import { expect, test } from 'vitest'
import { withoutSecrets, withoutSecretsText } from '../src/withoutSecrets.ts'

test('ids, numbers and words stay as they are', () => {
  const data = {
    orderId: 'ord_k3v9x2m4q8wz_01a227e596d97d64be53baca2872ca70',
    eventId: 'evt_k3v9x2m4q8wz',
    seats: [1, 2, 3],
    amount: '10900',
    placedAt: '2026-11-29T15:21:27.525Z',
    none: null,
    yes: true,
  }
  expect(withoutSecrets(data)).toEqual(data)
})

test('a field that is named like a secret or like personal data is removed at any depth', () => {
  expect(
    withoutSecrets({
      email: 'ana@example.com',
      buyer: { fullName: 'Ana A', phone: '+49 30 1', deeper: [{ paymentMethod: 'pm_card_visa', n: 1 }] },
      admissionToken: 'x',
      apiKey: 'y',
      deviceId: 'd',
      challenge: 'c',
      barcode: 'b',
      Authorization: 'z',
    }),
  ).toEqual({
    email: '[removed]',
    buyer: { fullName: '[removed]', phone: '[removed]', deeper: [{ paymentMethod: '[removed]', n: 1 }] },
    admissionToken: '[removed]',
    apiKey: '[removed]',
    deviceId: '[removed]',
    challenge: '[removed]',
    barcode: '[removed]',
    Authorization: '[removed]',
  })
})

test.each([
  ['mail to ana.b+c@mail.example.com failed', 'mail to [removed] failed'],
  ['connect postgresql://fairgate:hunter2@db:5432/x', 'connect postgresql://[removed]@db:5432/x'],
  [`scanned FG1:${'A1 $%*+-./:'.repeat(10)}`, 'scanned [removed]'],
  ['got Bearer abc.def', 'got Bearer [removed]'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln is old', 'token [removed] is old'],
  ['card 4242 4242 4242 4242 refused', 'card [removed] refused'],
  ['no such key sk_live_51H', 'no such key [removed]'],
])('%s', (text, clean) => {
  expect(withoutSecretsText(text)).toBe(clean)
})

test('long texts and deeply nested data are cut', () => {
  expect(withoutSecretsText('x'.repeat(5_000))).toHaveLength(2_001)
  let data: unknown = 'x'
  for (let i = 0; i < 50; i++) data = { data }
  expect(JSON.stringify(withoutSecrets(data)).length).toBeLessThan(200)
})
