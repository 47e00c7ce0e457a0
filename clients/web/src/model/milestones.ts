import type { QueuePosition } from '../../../sdk/index.ts'

/** The numbers in the line at which a screen reader hears the place. Every number would drown the page. */
const NUMBERS = [100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1]

/** The wait at which a fan should come back to the page. */
const SOON_SECONDS = 300

type Waiting = Pick<QueuePosition, 'position'>

/** True where the place came to one of the milestones, or past it, since the last position. */
export function passedMilestone(before: Waiting, next: Waiting): boolean {
  const [from, to] = [before.position, next.position]
  return from !== null && to !== null && NUMBERS.some((number) => to <= number && number < from)
}

/** True for a place that waits for about five minutes at most. */
export function isSoon({
  state,
  estimatedWaitSeconds: wait,
}: Pick<QueuePosition, 'state' | 'estimatedWaitSeconds'>) {
  return state === 'WAITING' && wait !== null && wait <= SOON_SECONDS
}
