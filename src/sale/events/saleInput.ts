import type { SaleChange, SaleSettings, SaleTimes } from '../../sql/events.ts'
import type { InputFaults, Path } from '../inputFaults.ts'

/** The sale in the input of `createEvent`; null means the default. */
export interface SaleInput {
  opensAt: Date
  preQueueOpensAt?: Date | null
  endsAt?: Date | null
  waitingRoom?: boolean | null
  admissionRate?: number | null
  ticketLimit?: number | null
  holdSeconds?: number | null
  admissionSeconds?: number | null
  shoppersPerOrder?: number | null
  turnSeconds?: number | null
  holdsPerMinute?: number | null
  unpaidHolds?: number | null
  allowOrphanSeats?: boolean | null
  seatPicking?: boolean | null
  challenge?: string | null
  beaconSource?: string | null
}

/** The part of the sale's input that the waiting room stores. */
export interface RoomSettings {
  readonly admissionRate: number
  readonly beaconSource: string | null
}

const PRE_QUEUE_MS = 15 * 60_000
const DAY_SECONDS = 86_400
const HIGHEST_LIMIT = 1_000
/** Places called a second. */
export const HIGHEST_RATE = 10_000

/** Checks and converts the sale of `createEvent`, and fills in the defaults. */
export function readSale(sale: SaleInput, faults: InputFaults): { sale: SaleSettings } & RoomSettings {
  const whole = (field: keyof SaleInput, value: number, max: number) =>
    faults.whole(['input', 'sale', field], value, 1, max)
  const settings = {
    preQueueOpensAt: sale.preQueueOpensAt ?? new Date(sale.opensAt.getTime() - PRE_QUEUE_MS),
    opensAt: sale.opensAt,
    endsAt: sale.endsAt ?? null,
    waitingRoom: sale.waitingRoom ?? true,
    ticketLimit: whole('ticketLimit', sale.ticketLimit ?? 4, HIGHEST_LIMIT),
    holdSeconds: whole('holdSeconds', sale.holdSeconds ?? 600, DAY_SECONDS),
    admissionSeconds: whole('admissionSeconds', sale.admissionSeconds ?? 600, DAY_SECONDS),
    turnSeconds: whole('turnSeconds', sale.turnSeconds ?? 600, DAY_SECONDS),
    shoppersPerOrder: faults.number(
      ['input', 'sale', 'shoppersPerOrder'],
      sale.shoppersPerOrder ?? 1,
      0.01,
      100,
    ),
    holdsPerMinute: whole('holdsPerMinute', sale.holdsPerMinute ?? 10, 10_000),
    unpaidHolds: whole('unpaidHolds', sale.unpaidHolds ?? 5, 10_000),
    allowOrphanSeats: sale.allowOrphanSeats ?? false,
    seatPicking: sale.seatPicking ?? true,
    challenge: sale.challenge ?? 'NEVER',
  }
  checkTimes(settings, ['input', 'sale'], faults)
  return {
    sale: settings,
    admissionRate: faults.number(
      ['input', 'sale', 'admissionRate'],
      sale.admissionRate ?? 30,
      0,
      HIGHEST_RATE,
    ),
    beaconSource:
      sale.beaconSource == null ? null : faults.text(['input', 'sale', 'beaconSource'], sale.beaconSource),
  }
}

/** Adds a fault for each of a sale's times that has a wrong year or stands in the wrong order. */
export function checkTimes({ preQueueOpensAt, opensAt, endsAt }: SaleTimes, path: Path, faults: InputFaults) {
  faults.instant([...path, 'opensAt'], opensAt)
  faults.instant([...path, 'preQueueOpensAt'], preQueueOpensAt)
  if (endsAt !== null) faults.instant([...path, 'endsAt'], endsAt)
  if (preQueueOpensAt > opensAt) faults.add([...path, 'preQueueOpensAt'], 'must not be after opensAt')
  if (endsAt !== null && endsAt <= opensAt) faults.add([...path, 'endsAt'], 'must be after opensAt')
}

/** Returns the fields of `updateSale` that are set. Null removes the end; it leaves every other field as it is. */
export function readSaleChange(
  input: { [Field in keyof SaleChange]?: SaleChange[Field] | null },
  faults: InputFaults,
): SaleChange {
  const { preQueueOpensAt, opensAt, waitingRoom, ticketLimit, seatPicking, challenge, paused } = input
  return {
    ...(preQueueOpensAt != null && { preQueueOpensAt }),
    ...(opensAt != null && { opensAt }),
    ...(input.endsAt !== undefined && { endsAt: input.endsAt }),
    ...(waitingRoom != null && { waitingRoom }),
    ...(ticketLimit != null && {
      ticketLimit: faults.whole(['input', 'ticketLimit'], ticketLimit, 1, HIGHEST_LIMIT),
    }),
    ...(seatPicking != null && { seatPicking }),
    ...(challenge != null && { challenge }),
    ...(paused != null && { paused }),
  }
}
