/** The numbers that an input accepts. `min` and `max` are multiples of the step. */
export interface NumberRange {
  readonly min: number
  readonly max: number
  /** The step is 1 / stepsPerUnit: an accepted number is rounded to it. 1: only whole numbers are accepted. */
  readonly stepsPerUnit: number
}

const whole = (min: number, max: number): NumberRange => ({ min, max, stepsPerUnit: 1 })

const DAY_SECONDS = 86_400

/**
 * The range of every number that a client may send, in an argument, an input field or a seating plan.
 * `inputFaults.ts` is the one check. `src/resolvers/builder/numberInputs.ts` says which input has which range.
 */
export const RANGES = {
  /** WGS 84 degrees; the step is 0.1 m. Smaller numbers than the step end a calculation of PostgreSQL with an error. */
  latitude: { min: -90, max: 90, stepsPerUnit: 1_000_000 },
  longitude: { min: -180, max: 180, stepsPerUnit: 1_000_000 },
  /** To half the way around the world, in steps of a metre. */
  km: { min: 0, max: 20_038, stepsPerUnit: 1_000 },

  /** Plan units, far beyond the coordinates of any plan. Sums of three such numbers stay exact. */
  planCoordinate: { min: -1_000_000, max: 1_000_000, stepsPerUnit: 1_000_000 },
  /** Degrees clockwise: ten turns either way, for editors that add up. */
  planRotation: { min: -3_600, max: 3_600, stepsPerUnit: 1_000_000 },
  planSize: { min: 0, max: 1_000_000, stepsPerUnit: 1_000_000 },
  /** The largest stadiums have some 110,000 seats. */
  capacity: whole(1, 150_000),

  /** Minor units: to the largest Int of the API. */
  price: whole(0, 2 ** 31 - 1),

  /** Orders of a called-off event refunded in a second: the provider's own limit is some 100 calls. */
  refundsPerSecond: whole(1, 100),

  /** Places called a second; the step is one place in 17 minutes. */
  admissionRate: { min: 0, max: 10_000, stepsPerUnit: 1_000 },
  shoppersPerOrder: { min: 0.01, max: 100, stepsPerUnit: 100 },
  ticketLimit: whole(1, 1_000),
  /** Of a hold, an admission or a turn: to one day. */
  seconds: whole(1, DAY_SECONDS),
  holdsPerAccount: whole(1, 10_000),
  /** Seats in the live holds of one address or device: to the largest plan. */
  heldSeats: whole(1, 150_000),
  /** Shorter, a buyer has no time for 3-D Secure. */
  paymentMinutes: whole(1, 60),
  /** Seats or units that one hold requests. */
  quantity: whole(1, 1_000),
  /** Of the tickets that a waitlist entry wants. */
  wheelchairSeats: whole(0, 1_000),

  /** The entries of one page of a list. */
  page: whole(1, 100),
  /** Dead letters replayed a second. */
  replaysPerSecond: { min: 0.001, max: 1_000, stepsPerUnit: 1_000 },
} as const satisfies Record<string, NumberRange>

/** Returns the number in its range's steps, or null for a value that is no number of the range. Minus zero becomes zero. */
export function inRange(value: unknown, { min, max, stepsPerUnit }: NumberRange): number | null {
  // No comparison with NaN is true.
  if (typeof value !== 'number' || !(value >= min && value <= max)) return null
  if (stepsPerUnit === 1) return Number.isInteger(value) ? value + 0 : null
  return Math.round(value * stepsPerUnit) / stepsPerUnit + 0
}

/** Returns what a number of the range must be, such as "a whole number from 1 to 100". */
export function rangeInWords({ min, max, stepsPerUnit }: NumberRange): string {
  return `a ${stepsPerUnit === 1 ? 'whole number' : 'number'} from ${min} to ${max}`
}
