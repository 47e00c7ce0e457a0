import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, the longest first. */
const LONGEST = [
  'test/clients/page.test.ts',
  'test/clients/surge/surge.test.ts',
  'test/system/killedWorker.test.ts',
]

/**
 * Starts the longest files first, so that every core is busy until the end of the run. The other files follow as
 * Vitest orders them: by the time that they took in an earlier run, or by size where there is none.
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
