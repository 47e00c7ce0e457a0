import { badInput } from '../sale/faults.ts'
import type { Context } from './context.ts'

/** Refuses what may change something over GET, where a cache or a link preview could repeat it. */
export function refuseRepeatable({ isRepeatable }: Context): void {
  if (isRepeatable) throw badInput({ path: [], message: 'this is not served over GET: send it by POST' })
}
