import { expect, test } from 'vitest'
import { BadOption, readOptions } from '../../../clients/surge/options.ts'

test('by default three thousand fans come to the local service for a quarter of an hour', () => {
  expect(readOptions([])).toEqual({
    fans: 3_000,
    url: 'http://localhost:4000',
    slug: null,
    hoarders: 0,
    seed: expect.any(Number),
    minutes: 15,
    settleSeconds: 30,
  })
})

test('every flag is read', () => {
  const args =
    '--fans 20 --url http://127.0.0.1:4100/anything --slug demo --seed 7 --minutes 2 --settle 5'.split(' ')
  expect(readOptions(args)).toEqual({
    fans: 20,
    url: 'http://127.0.0.1:4100',
    slug: 'demo',
    hoarders: 0,
    seed: 7,
    minutes: 2,
    settleSeconds: 5,
  })
})

test('--help returns no options', () => {
  expect(readOptions(['--help'])).toBeNull()
})

test.each([
  ['--fans 0', '--fans must be a whole number from 1 to 20000, not 0'],
  ['--fans many', '--fans must be a whole number from 1 to 20000, not many'],
  ['--fans 1e3', '--fans must be a whole number from 1 to 20000, not 1e3'],
  ['--url nowhere', '--url must be an address such as http://localhost:4000, not nowhere'],
  ['--url ftp://localhost', '--url must be an address such as http://localhost:4000, not ftp://localhost'],
  ['--minutes 999', '--minutes must be a whole number from 1 to 120, not 999'],
  ['--hoarders 501', '--hoarders must be a whole number from 0 to 500, not 501'],
  ['--hoarders 5 --slug demo', '--hoarders runs on events of its own: leave --slug out'],
  ['--settle 0', '--settle must be a whole number from 1 to 600, not 0'],
  ['--seed -1', "Option '--seed' argument is ambiguous"],
  ['--fnas 3', "Unknown option '--fnas'"],
])('an error names the wrong flag: %s', (line, message) => {
  expect(() => readOptions(line.split(' '))).toThrow(BadOption)
  expect(() => readOptions(line.split(' '))).toThrow(message)
})
