import { expect, test } from 'vitest'
import { afterCurrentWork, afterMs, createGatherer } from '../../src/async/gather.ts'

test('items that come together go together, and each gets its own result', async () => {
  const sent: (readonly number[])[] = []
  const double = createGatherer<number, number>({
    when: afterCurrentWork,
    async send(numbers) {
      sent.push(numbers)
      return numbers.map((number) => 2 * number)
    },
  })
  const later = Promise.resolve().then(() => double(3))
  expect(await Promise.all([double(1), double(2), later])).toEqual([2, 4, 6])
  expect(sent).toEqual([[1, 2, 3]])
  expect(await double(4)).toBe(8)
  expect(sent).toHaveLength(2)
})

test('items of different keys go in batches of their own, and no batch is larger than it may be', async () => {
  const sent: (readonly string[])[] = []
  const gather = createGatherer<string, string>({
    when: afterMs(1),
    keyOf: (text) => text.slice(0, 1),
    most: 2,
    async send(texts) {
      sent.push(texts)
      return texts
    },
  })
  const items = ['a1', 'b1', 'a2', 'a3']
  expect(await Promise.all(items.map(gather))).toEqual(items)
  expect(sent).toEqual([['a1', 'a2'], ['a3'], ['b1']])
})

test('with a window of its own a key waits for its whole window, whenever another key came', async () => {
  const windows: (() => void)[] = []
  const sent: (readonly string[])[] = []
  const gather = createGatherer<string, string>({
    when: (send) => windows.push(send),
    keyOf: (text) => text.slice(0, 1),
    windowPerKey: true,
    async send(texts) {
      sent.push(texts)
      return texts
    },
  })
  const items = ['a1', 'b1', 'a2'].map(gather)
  expect(windows).toHaveLength(2)
  windows[0]?.()
  items.push(gather('b2'))
  windows[1]?.()
  expect(await Promise.all(items)).toEqual(['a1', 'b1', 'a2', 'b2'])
  expect(sent).toEqual([
    ['a1', 'a2'],
    ['b1', 'b2'],
  ])
})

test('the next items of many callers gather in one batch again, unless their results are spread', async () => {
  const batchesOf = async (spread: boolean) => {
    const sizes: number[] = []
    const gather = createGatherer<number, number>({
      when: afterCurrentWork,
      spread,
      async send(numbers) {
        sizes.push(numbers.length)
        return numbers
      },
    })
    await Promise.all(Array.from({ length: 100 }, (_, i) => gather(i).then(gather)))
    return sizes
  }
  expect(await batchesOf(false)).toEqual([100, 100])
  const spread = await batchesOf(true)
  expect(spread[0]).toBe(100)
  expect(spread.length).toBeGreaterThan(2)
})

test('a batch that fails fails each of its items, and no other batch', async () => {
  const gather = createGatherer<string, string>({
    when: afterMs(1),
    keyOf: (text) => text.slice(0, 1),
    async send(texts) {
      if (texts[0] === 'a1') throw new Error('away')
      return texts
    },
  })
  const [first, second, other] = [gather('a1'), gather('a2'), gather('b1')]
  await expect(first).rejects.toThrow('away')
  await expect(second).rejects.toThrow('away')
  expect(await other).toBe('b1')
})
