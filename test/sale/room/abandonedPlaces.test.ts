import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAbandonedPlaces } from '../../../src/sale/room/abandonedPlaces.ts'

const place = fc.integer({ min: 1, max: 30 })

test('the count of abandoned places is right, in whatever order fans leave, rejoin and are called', () => {
  const step = fc.oneof(
    fc.record({ place, hasLeft: fc.boolean() }),
    fc.record({ calledUpTo: fc.integer({ min: 0, max: 31 }) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const abandoned = createAbandonedPlaces()
      const left = new Set<number>()
      let called = 0
      for (const step of steps) {
        if ('calledUpTo' in step) {
          called = step.calledUpTo
          abandoned.callUpTo(called)
        } else {
          if (step.hasLeft) left.add(step.place)
          else left.delete(step.place)
          abandoned.set(step.place, step.place + 100, step.hasLeft)
        }
        const sorted = [...left].sort((a, b) => a - b)
        expect(abandoned.uncalled).toBe(sorted.filter((place) => place > called).length)
        expect(abandoned.arrivals(5, 20)).toEqual(
          sorted.filter((place) => place > 5 && place <= 20).map((place) => place + 100),
        )
        for (let place = 1; place <= 30; place++) expect(abandoned.has(place)).toBe(left.has(place))
      }
    }),
  )
})
