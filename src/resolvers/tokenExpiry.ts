import { unauthenticated } from '../sale/faults.ts'
import type { Watch } from './broadcast.ts'
import type { Context } from './context.ts'

/** The longest time between two checks. The database's clock decides the end, and the timer's clock may differ. */
const RECHECK_MS = 60_000

/** Returns a watch that ends with UNAUTHENTICATED when the account's token expires. */
export function watchTokenExpiry({ tokenEndsAt, app }: Context): Watch {
  return (end) => {
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      const ms = tokenEndsAt ? tokenEndsAt.getTime() - app.clock.known().getTime() : RECHECK_MS
      if (ms < 0) end(unauthenticated())
      else timer = setTimeout(check, Math.min(ms + 1, RECHECK_MS))
    }
    check()
    return () => clearTimeout(timer)
  }
}
