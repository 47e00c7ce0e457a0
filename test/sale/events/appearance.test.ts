import { expect, test } from 'vitest'
import { type AppearanceInput, readAppearance } from '../../../src/sale/events/appearance.ts'
import { createInputFaults } from '../../../src/sale/inputFaults.ts'

function read(input: AppearanceInput | null) {
  const faults = createInputFaults()
  return { appearance: readAppearance(input, ['input', 'appearance'], faults), faults }
}

test('an event looks as its organizer says, with what is not given left out', () => {
  const { appearance, faults } = read({
    imageUrl: 'https://example.com/a poster.jpg',
    accentColor: '#FF0066',
    presaleText: ' Doors open at 19:00.\nNo bags. ',
  })
  expect(faults.count).toBe(0)
  expect(appearance).toEqual({
    imageUrl: 'https://example.com/a%20poster.jpg',
    accentColor: '#ff0066',
    presaleText: 'Doors open at 19:00.\nNo bags.',
    terms: null,
  })
  expect(read(null).appearance).toBeNull()
})

test.each([
  [{ imageUrl: 'http://example.com/a.jpg' }, 'imageUrl'],
  [{ imageUrl: 'javascript:alert(1)' }, 'imageUrl'],
  [{ imageUrl: `https://example.com/${'a'.repeat(2_000)}` }, 'imageUrl'],
  [{ accentColor: 'red' }, 'accentColor'],
  [{ accentColor: '#00625b;--go:red' }, 'accentColor'],
  [{ presaleText: 'a'.repeat(1_001) }, 'presaleText'],
  [{ terms: 'bell\u0007' }, 'terms'],
])('%j is refused with the name of its field', (input, field) => {
  const { faults } = read(input)
  expect(() => faults.throwAny()).toThrow(field)
})
