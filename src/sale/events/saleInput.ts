import type { SaleChange, SaleTimes } from '../../sql/events/saleChange.ts'
import type { SaleSettings } from '../../sql/sales.ts'
import type { InputFaults, Path } from '../inputFaults.ts'
import { type NumberRange, RANGES } from '../numberRanges.ts'
import { defaultOriginLimits } from './originLimits.ts'

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
  heldPerAddress?: number | null
  heldPerDevice?: number | null
  paymentMinutes?: number | null
  allowOrphanSeats?: boolean | null
  seatPicking?: boolean | null
  challenge?: string | null
  returnFees?: boolean | null
  beaconSource?: string | null
}

/** The part of the sale's input that the waiting room stores. */
export interface RoomSettings {
  readonly admissionRate: number
  readonly beaconSource: string | null
}

/** The sale of an event whose organizer sets nothing but `opensAt`. The contract fixes these values. */
export const SALE_DEFAULTS = {
  waitingRoom: true,
  admissionRate: 30,
  ticketLimit: 4,
  holdSeconds: 600,
  admissionSeconds: 600,
  turnSeconds: 600,
  shoppersPerOrder: 1,
  holdsPerMinute: 10,
  unpaidHolds: 5,
  paymentMinutes: 15,
  allowOrphanSeats: false,
  seatPicking: true,
  challenge: 'NEVER',
  returnFees: true,
} as const

const PRE_QUEUE_MS = 15 * 60_000

/** Checks and converts the sale of `createEvent`, and fills in the defaults. `capacity`: the event's seats and units. */
export function readSale(
  sale: SaleInput,
  capacity: number,
  startsAt: Date,
  faults: InputFaults,
): { sale: SaleSettings } & RoomSettings {
  const ticketLimit = sale.ticketLimit ?? SALE_DEFAULTS.ticketLimit
  const originLimits = defaultOriginLimits(ticketLimit, capacity)
  const read = (field: keyof SaleInput, value: number, range: NumberRange) =>
    faults.number(['input', 'sale', field], value, range)
  const settings = {
    preQueueOpensAt: sale.preQueueOpensAt ?? new Date(sale.opensAt.getTime() - PRE_QUEUE_MS),
    opensAt: sale.opensAt,
    endsAt: sale.endsAt ?? startsAt,
    waitingRoom: sale.waitingRoom ?? SALE_DEFAULTS.waitingRoom,
    ticketLimit: read('ticketLimit', ticketLimit, RANGES.ticketLimit),
    holdSeconds: read('holdSeconds', sale.holdSeconds ?? SALE_DEFAULTS.holdSeconds, RANGES.seconds),
    admissionSeconds: read(
      'admissionSeconds',
      sale.admissionSeconds ?? SALE_DEFAULTS.admissionSeconds,
      RANGES.seconds,
    ),
    turnSeconds: read('turnSeconds', sale.turnSeconds ?? SALE_DEFAULTS.turnSeconds, RANGES.seconds),
    shoppersPerOrder: read(
      'shoppersPerOrder',
      sale.shoppersPerOrder ?? SALE_DEFAULTS.shoppersPerOrder,
      RANGES.shoppersPerOrder,
    ),
    holdsPerMinute: read(
      'holdsPerMinute',
      sale.holdsPerMinute ?? SALE_DEFAULTS.holdsPerMinute,
      RANGES.holdsPerAccount,
    ),
    unpaidHolds: read('unpaidHolds', sale.unpaidHolds ?? SALE_DEFAULTS.unpaidHolds, RANGES.holdsPerAccount),
    heldPerAddress:
      sale.heldPerAddress == null
        ? originLimits.heldPerAddress
        : read('heldPerAddress', sale.heldPerAddress, RANGES.heldSeats),
    heldPerDevice:
      sale.heldPerDevice == null
        ? originLimits.heldPerDevice
        : read('heldPerDevice', sale.heldPerDevice, RANGES.heldSeats),
    paymentMinutes: read(
      'paymentMinutes',
      sale.paymentMinutes ?? SALE_DEFAULTS.paymentMinutes,
      RANGES.paymentMinutes,
    ),
    allowOrphanSeats: sale.allowOrphanSeats ?? SALE_DEFAULTS.allowOrphanSeats,
    seatPicking: sale.seatPicking ?? SALE_DEFAULTS.seatPicking,
    challenge: sale.challenge ?? SALE_DEFAULTS.challenge,
    returnFees: sale.returnFees ?? SALE_DEFAULTS.returnFees,
  }
  checkTimes({ ...settings, startsAt }, ['input', 'sale'], faults)
  return {
    sale: settings,
    admissionRate: read(
      'admissionRate',
      sale.admissionRate ?? SALE_DEFAULTS.admissionRate,
      RANGES.admissionRate,
    ),
    beaconSource:
      sale.beaconSource == null ? null : faults.text(['input', 'sale', 'beaconSource'], sale.beaconSource),
  }
}

/** Adds a fault for each of a sale's times that has a wrong year or stands in the wrong order. An event that began sells nothing. */
export function checkTimes(
  { preQueueOpensAt, opensAt, endsAt, startsAt }: SaleTimes,
  path: Path,
  faults: InputFaults,
) {
  faults.instant([...path, 'opensAt'], opensAt)
  faults.instant([...path, 'preQueueOpensAt'], preQueueOpensAt)
  if (endsAt !== null) faults.instant([...path, 'endsAt'], endsAt)
  if (preQueueOpensAt > opensAt) faults.add([...path, 'preQueueOpensAt'], 'must not be after opensAt')
  if (opensAt >= startsAt) faults.add([...path, 'opensAt'], 'must be before startsAt, when the event begins')
  else if (endsAt !== null && endsAt <= opensAt) faults.add([...path, 'endsAt'], 'must be after opensAt')
  if (endsAt !== null && endsAt > startsAt)
    faults.add([...path, 'endsAt'], 'must not be after startsAt, when the event begins')
}

/** Returns the fields of `updateSale` that are set. Null lets the sale end when the event begins; it leaves every other field as it is. */
export function readSaleChange(
  input: { [Field in keyof SaleChange]?: SaleChange[Field] | null },
  faults: InputFaults,
): SaleChange {
  const { preQueueOpensAt, opensAt, waitingRoom, seatPicking, challenge, returnFees, paused } = input
  const read = (field: 'ticketLimit' | 'heldPerAddress' | 'heldPerDevice', range: NumberRange) =>
    input[field] != null && { [field]: faults.number(['input', field], input[field], range) }
  return {
    ...(preQueueOpensAt != null && { preQueueOpensAt }),
    ...(opensAt != null && { opensAt }),
    ...(input.endsAt !== undefined && { endsAt: input.endsAt }),
    ...(waitingRoom != null && { waitingRoom }),
    ...read('ticketLimit', RANGES.ticketLimit),
    ...read('heldPerAddress', RANGES.heldSeats),
    ...read('heldPerDevice', RANGES.heldSeats),
    ...(seatPicking != null && { seatPicking }),
    ...(challenge != null && { challenge }),
    ...(returnFees != null && { returnFees }),
    ...(paused != null && { paused }),
  }
}
