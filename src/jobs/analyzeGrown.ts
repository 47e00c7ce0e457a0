import { analyzeGrown as analyze } from '../sql/database/statistics.ts'
import { hasActiveSale } from '../sql/sales.ts'
import { definePeriodic } from './kit.ts'

/**
 * Analyzes the tables that have grown, while any event is on sale. Autovacuum runs once a minute, but the first minute
 * of a sale decides it.
 */
export const analyzeGrown = definePeriodic({
  name: 'analyzeGrown',
  everyMs: 5_000,
  async run(app) {
    if (!(await hasActiveSale(app.db))) return
    const tables = await analyze(app.db)
    if (tables.length > 0) app.log.debug({ tables }, 'analyzed')
  },
})
