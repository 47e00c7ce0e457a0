import { expect, test } from 'vitest'
import { createFairQueue } from '../../src/async/fairQueue.ts'
import { LONG } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'

/** The same queue as plain arrays: the lines in the order of the rotation. */
function createModel() {
  const lines: { key: string; items: number[] }[] = []
  const lineOf = (key: string) => lines.find((line) => line.key === key)
  const dropEmpty = () => lines.splice(0, lines.length, ...lines.filter(({ items }) => items.length > 0))
  const size = () => lines.reduce((sum, { items }) => sum + items.length, 0)
  return {
    size,
    lines,
    first: (key: string) => lineOf(key)?.items[0],
    push(key: string, item: number) {
      const line = lineOf(key)
      if (line) line.items.push(item)
      else lines.push({ key, items: [item] })
    },
    shift(mayLeave: (key: string) => boolean = () => true) {
      const at = lines.findIndex(({ key }) => mayLeave(key))
      if (at < 0) return undefined
      const [line] = lines.splice(at, 1)
      const item = line?.items.shift()
      if (line) lines.push(line)
      dropEmpty()
      return item
    },
    move(from: string, to: string, belongs: (item: number) => boolean) {
      const moved = lineOf(from)?.items.filter(belongs) ?? []
      for (const item of moved) this.take(item)
      for (const item of moved) this.push(to, item)
    },
    /** The lengths that may be displaced from: of several longest lines any may lose an item. */
    longest: () => Math.max(0, ...lines.map(({ items }) => items.length)),
    take(item: number) {
      for (const { items } of lines) {
        const at = items.indexOf(item)
        if (at >= 0) items.splice(at, 1)
      }
      dropEmpty()
    },
  }
}

test('a random run of the queue serves, displaces and removes what a simple model does', () => {
  const random = seededRandom()
  const upTo = (n: number) => Math.floor(random() * n)
  for (let run = 0; run < (LONG ? 500 : 20); run++) {
    const queue = createFairQueue<number>()
    const model = createModel()
    const keys = Array.from({ length: 1 + upTo(6) }, (_, i) => `event ${i}`)
    // One event is under the crowd, in most runs.
    const anyKey = () => keys[random() < 0.5 ? 0 : upTo(keys.length)] as string
    const pushes = 0.3 + random() * 0.5
    for (let step = 0; step < 400; step++) {
      const key = anyKey()
      const way = random()
      if (way < pushes) {
        queue.push(key, step)
        model.push(key, step)
      } else if (way < 0.85) expect(queue.shift()).toBe(model.shift())
      else if (way < 0.89) {
        const mayLeave = (other: string) => other !== key
        expect(queue.shift(mayLeave)).toBe(model.shift(mayLeave))
      } else if (way < 0.9) {
        const [to, belongs] = [anyKey(), (item: number) => item % 3 === 0]
        queue.move(key, to, belongs)
        model.move(key, to, belongs)
      } else if (way < 0.95) {
        const own = model.lines.find((line) => line.key === key)?.items.length ?? 0
        const longest = model.longest()
        const hasItsShare = own * model.lines.length >= model.size()
        const displaced = queue.displace(key)
        expect(displaced === undefined).toBe(hasItsShare || longest <= own + 1)
        if (displaced !== undefined) {
          const loser = model.lines.find(({ items }) => items.includes(displaced))
          expect([loser?.items.length, loser?.items.at(-1)]).toEqual([longest, displaced])
          model.take(displaced)
        }
      } else {
        const item = upTo(step)
        const isThere = model.lines.some((line) => line.key === key && line.items.includes(item))
        expect(queue.remove(key, item)).toBe(isThere)
        if (isThere) model.take(item)
      }
      expect([queue.size, queue.lines, queue.first(key)]).toEqual([
        model.size(),
        model.lines.length,
        model.first(key),
      ])
    }
    while (model.size() > 0) expect(queue.shift()).toBe(model.shift())
    expect([queue.shift(), queue.size, queue.lines]).toEqual([undefined, 0, 0])
  }
})

test('behind a crowd of one event, each other event waits for one item of the crowd', () => {
  const queue = createFairQueue<string>()
  for (let i = 0; i < 3_000; i++) queue.push('crowd', `crowd ${i}`)
  for (let i = 0; i < 3; i++) queue.push('small', `small ${i}`)
  const served = Array.from({ length: 7 }, () => queue.shift())
  expect(served).toEqual(['crowd 0', 'small 0', 'crowd 1', 'small 1', 'crowd 2', 'small 2', 'crowd 3'])
})

test('in a full queue a small event displaces the newest of the crowd, and the crowd displaces nothing', () => {
  const queue = createFairQueue<string>()
  for (let i = 0; i < 10; i++) queue.push('crowd', `crowd ${i}`)
  expect(queue.displace('crowd')).toBeUndefined()
  const displaced = Array.from({ length: 7 }, (_, i) => {
    const item = queue.displace('small')
    if (item) queue.push('small', `small ${i}`)
    return item
  })
  // Even shares: five each.
  expect(displaced).toEqual(['crowd 9', 'crowd 8', 'crowd 7', 'crowd 6', 'crowd 5', undefined, undefined])
})
