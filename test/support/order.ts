import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, the longest first. */
const LONGEST = [
  'test/system/killedWorker.test.ts',
  'test/clients/purchase.test.ts',
  'test/clients/page.test.ts',
  'test/system/killedWorkerOnSchedule.test.ts',
  'test/clients/door.test.ts',
  'test/server/sockets/sockets.test.ts',
  'test/system/killedApi.test.ts',
  'test/system/joinGuard.test.ts',
  'test/sale/orders/checkout.test.ts',
  'test/clients/map.test.ts',
  'test/jobs/waitlist.test.ts',
  'test/system/jobsRedisLoss.test.ts',
  'test/clients/surge/surge.test.ts',
  'test/system/minuteAway.test.ts',
  'test/sale/holds/holds.test.ts',
  'test/embedded/start.test.ts',
  'test/sale/waitingRoom/opening.test.ts',
  'test/system/databaseOutage.test.ts',
  'test/system/clockOffInBooking.test.ts',
  'test/sale/sales/sales.test.ts',
  'test/system/polling.test.ts',
  'test/system/doors.test.ts',
  'test/sale/ops/load.test.ts',
  'test/system/roomRedisLoss.test.ts',
  'test/server/http/limits/bodyBudget.test.ts',
  'test/system/socketFlood.test.ts',
  'test/sale/pacer/fence.test.ts',
  'test/clients/cli/verifyDraw.test.ts',
  'test/sale/map/seatMap.test.ts',
  'test/server/metrics/saleMetrics.test.ts',
  'test/sale/ops/deadLetters.test.ts',
  'test/system/redisLoss.test.ts',
  'test/sale/ops/reconciliation.test.ts',
  'test/system/databaseLoss.test.ts',
  'test/embedded/postgres.test.ts',
]

/**
 * Sorts the longest files to the front, so that every core is busy until the end of the run. The other files follow in
 * Vitest's order: by their time in an earlier run, or by size where there was none.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
