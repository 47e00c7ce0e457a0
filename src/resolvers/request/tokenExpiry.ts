import { unauthenticated } from '../../sale/faults.ts'
import { until, type Watch } from './broadcast.ts'
import type { Context } from './context.ts'

/** The longest time between two checks. The database's clock decides the end, and the timer's clock may differ. */
const RECHECK_MS = 60_000

/** True where the account's token has expired, by the database's clock. */
export function hasTokenExpired({ tokenEndsAt, app }: Context): boolean {
  return tokenEndsAt !== null && tokenEndsAt.getTime() < app.clock.estimate().getTime()
}

/** Returns a watch that ends with UNAUTHENTICATED when the account's token expires. */
export function watchTokenExpiry({ tokenEndsAt, app }: Context): Watch {
  return (end) => {
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      const ms = tokenEndsAt ? tokenEndsAt.getTime() - app.clock.estimate().getTime() : RECHECK_MS
      if (ms < 0) end(unauthenticated())
      else timer = setTimeout(check, Math.min(ms + 1, RECHECK_MS))
    }
    check()
    return () => clearTimeout(timer)
  }
}

/** Returns the same values until the account's token expires; for a caller without a token, the same values. */
export function untilTokenExpires<T>(context: Context, values: AsyncIterable<T>): AsyncIterable<T> {
  return context.tokenEndsAt ? until(watchTokenExpiry(context), values) : values
}
