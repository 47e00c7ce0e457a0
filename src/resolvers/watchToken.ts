import { unauthenticated } from '../sale/faults.ts'
import type { Watch } from './broadcast.ts'
import type { Context } from './context.ts'

/** How far ahead a timer is set: the database's clock, not this one, says when the time has come. */
const LOOK_AGAIN_MS = 60_000

/** Ends with UNAUTHENTICATED when the token of the account does. */
export function watchToken({ tokenEndsAt, app }: Context): Watch {
  return (end) => {
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      const ms = tokenEndsAt ? tokenEndsAt.getTime() - app.clock.known().getTime() : LOOK_AGAIN_MS
      if (ms < 0) end(unauthenticated())
      else timer = setTimeout(check, Math.min(ms + 1, LOOK_AGAIN_MS))
    }
    check()
    return () => clearTimeout(timer)
  }
}
