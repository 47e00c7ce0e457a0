import { z } from 'zod'
import { analyzeGrown as analyze } from '../sql/statistics.ts'
import { definePeriodic } from './kit.ts'

/**
 * Analyzes the tables that have grown, while any event is on sale. Autovacuum runs once a minute, but the first minute
 * of a sale decides it.
 */
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
