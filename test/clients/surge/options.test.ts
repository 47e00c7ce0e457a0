import { expect, test } from 'vitest'
import { BadOption, readOptions } from '../../../clients/surge/options.ts'

test('three thousand people at the local service for a quarter of an hour, unless told otherwise', () => {
  expect(readOptions([])).toEqual({
    fans: 3_000,
    url: 'http://localhost:4000',
    slug: null,
    seed: expect.any(Number),
    minutes: 15,
  })
})

test('takes what it is told', () => {
  const args = '--fans 20 --url http://127.0.0.1:4100/anything --slug demo --seed 7 --minutes 2'.split(' ')
  expect(readOptions(args)).toEqual({
    fans: 20,
    url: 'http://127.0.0.1:4100',
    slug: 'demo',
    seed: 7,
    minutes: 2,
  })
})

test('asks for help', () => {
  expect(readOptions(['--help'])).toBeNull()
})

test.each([
  ['--fans 0', '--fans must be a whole number from 1 to 20000, and is 0'],
  ['--fans many', '--fans must be a whole number from 1 to 20000, and is many'],
  ['--fans 1e3', '--fans must be a whole number from 1 to 20000, and is 1e3'],
  ['--url nowhere', '--url must be an address such as http://localhost:4000, and is nowhere'],
  ['--url ftp://localhost', '--url must be an address such as http://localhost:4000, and is ftp://localhost'],
  ['--minutes 999', '--minutes must be a whole number from 1 to 120, and is 999'],
  ['--seed -1', "Option '--seed' argument is ambiguous"],
  ['--fnas 3', "Unknown option '--fnas'"],
])('names the flag that is wrong: %s', (line, message) => {
  expect(() => readOptions(line.split(' '))).toThrow(BadOption)
  expect(() => readOptions(line.split(' '))).toThrow(message)
})
