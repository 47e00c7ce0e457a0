import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createGauges } from '../../../src/server/metrics/gauges.ts'

test('the metrics are rendered at most once a second, however many readers come', async () => {
  const gauges = createGauges(new Registry(), pino({ level: 'silent' }))
  let renderings = 0
  gauges.gauge('figure', 'A figure.', () => ++renderings)
  const startedAt = performance.now()
  for (let round = 0; round < 3; round++) {
    const before = renderings
    const texts = await Promise.all(Array.from({ length: 30 }, () => gauges.read().then(({ text }) => text)))
    // Every reader gets a rendering that began after its request.
    expect(new Set(texts)).toEqual(new Set([expect.stringContaining(`figure ${before + 1}`)]))
  }
  expect(renderings).toBe(3)
  expect(renderings).toBeLessThanOrEqual(1 + (performance.now() - startedAt) / 995)
})
