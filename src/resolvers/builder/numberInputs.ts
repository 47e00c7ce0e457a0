import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { type NumberRange, RANGES } from '../../sale/numberRanges.ts'

/** The range of each numeric input of the API, by its schema coordinate. `describeNumbers` refuses a schema with another one. */
export const NUMBER_INPUTS: Readonly<Record<string, NumberRange>> = {
  'Query.events(first:)': RANGES.page,
  'Query.auditTrail(first:)': RANGES.page,
  'Query.deadLetters(first:)': RANGES.page,
  'Query.holders(first:)': RANGES.page,
  'Viewer.orders(first:)': RANGES.page,
  'NearInput.latitude': RANGES.latitude,
  'NearInput.longitude': RANGES.longitude,
  'NearInput.km': RANGES.km,
  'VenueInput.latitude': RANGES.latitude,
  'VenueInput.longitude': RANGES.longitude,
  'PointInput.x': RANGES.planCoordinate,
  'PointInput.y': RANGES.planCoordinate,
  'GeneralAdmissionAreaInput.capacity': RANGES.capacity,
  'PriceInput.price': RANGES.price,
  'PriceInput.fee': RANGES.price,
  'SaleInput.admissionRate': RANGES.admissionRate,
  'SaleInput.admissionSeconds': RANGES.seconds,
  'SaleInput.holdSeconds': RANGES.seconds,
  'SaleInput.turnSeconds': RANGES.seconds,
  'SaleInput.holdsPerMinute': RANGES.holdsPerAccount,
  'SaleInput.unpaidHolds': RANGES.holdsPerAccount,
  'SaleInput.heldPerAddress': RANGES.heldSeats,
  'SaleInput.heldPerDevice': RANGES.heldSeats,
  'SaleInput.paymentMinutes': RANGES.paymentMinutes,
  'SaleInput.shoppersPerOrder': RANGES.shoppersPerOrder,
  'SaleInput.ticketLimit': RANGES.ticketLimit,
  'UpdateSaleInput.ticketLimit': RANGES.ticketLimit,
  'UpdateSaleInput.heldPerAddress': RANGES.heldSeats,
  'UpdateSaleInput.heldPerDevice': RANGES.heldSeats,
  'SetAdmissionInput.rate': RANGES.admissionRate,
  'BestAvailableInput.quantity': RANGES.quantity,
  'GeneralAdmissionInput.quantity': RANGES.quantity,
  /** The sale's own ticket limit bounds it further. */
  'JoinWaitlistInput.quantity': RANGES.ticketLimit,
  'RefundEventInput.perSecond': RANGES.refundsPerSecond,
  'JoinWaitlistInput.wheelchairSeats': RANGES.wheelchairSeats,
  'DeadLetterWindowInput.perSecond': RANGES.replaysPerSecond,
}

const NUMBERS = ['Int', 'Float', 'SafeInt']

interface Input {
  readonly type: GraphQLInputType
  description?: string | null
}

/** Returns every argument and input field whose values are numbers, by its schema coordinate. */
export function numericInputs(schema: GraphQLSchema): Map<string, Input> {
  const found = new Map<string, Input>()
  const consider = (coordinate: string, input: Input) => {
    if (NUMBERS.includes(getNamedType(input.type).name)) found.set(coordinate, input)
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) consider(`${type.name}.${field.name}`, field)
    if (isObjectType(type))
      for (const field of Object.values(type.getFields()))
        for (const arg of field.args) consider(`${type.name}.${field.name}(${arg.name}:)`, arg)
  }
  return found
}

/** Adds its range to the description of each numeric input. Throws where an input has no range, or a range no input. */
export function describeNumbers(schema: GraphQLSchema): GraphQLSchema {
  const inputs = numericInputs(schema)
  const without = [...inputs.keys()].filter((coordinate) => !NUMBER_INPUTS[coordinate])
  const unused = Object.keys(NUMBER_INPUTS).filter((coordinate) => !inputs.has(coordinate))
  if (without.length + unused.length > 0)
    throw new Error(`numberInputs.ts differs from the schema at ${[...without, ...unused].join(', ')}`)
  for (const [coordinate, input] of inputs) {
    const { min, max, stepsPerUnit } = NUMBER_INPUTS[coordinate] as NumberRange
    const step = stepsPerUnit === 1 ? '' : `, rounded to ${decimal(1 / stepsPerUnit)}`
    const range = `From ${min} to ${max}${step}.`
    input.description = input.description ? `${input.description} ${range}` : range
  }
  return schema
}

/** Returns a small number without an exponent. */
function decimal(step: number): string {
  return step.toFixed(9).replace(/0+$/, '')
}
