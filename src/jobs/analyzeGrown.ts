import { z } from 'zod'
import { analyzeGrown as analyze } from '../sql/statistics.ts'
import { definePeriodic } from './kit.ts'

/** While anything is on sale: autovacuum comes by once a minute, and a sale's first minute decides it. */
export const analyzeGrown = definePeriodic({
  name: 'analyzeGrown',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: (active) => (active.length > 0 ? [{ everyMs: 5_000, data: {} }] : []),
  async run(app) {
    const tables = await analyze(app.db)
    if (tables.length > 0) app.log.debug({ tables }, 'analyzed')
  },
})
