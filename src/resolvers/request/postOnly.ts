import { badInput } from '../../sale/faults.ts'
import type { Context } from './context.ts'

/** Refuses GET for an operation that may change something: a cache or a link preview could repeat it. */
export function requirePost({ isRepeatable }: Context): void {
  if (isRepeatable) throw badInput({ path: [], message: 'this is not served over GET: send it by POST' })
}
