import { createJsonShape } from '../../jsonShape.ts'

/** The longest body without its plans, and the longest document, in characters. Both are parsed on the thread that serves. */
const LONGEST_REST = 1_024 * 1_024
const LONGEST_DOCUMENT = 256 * 1_024
/** A text of this length in the variables is taken for the text of a plan. */
const PLAN_TEXT = 50_000
/** A plan is in an input, or in the `layout` of an answer of pretix's API that is. */
const PLAN_DEPTH = 4

/** A request with its plans as texts; or the reason why it is refused, as the rest of a sentence about the body. */
export type ParsedBody = { readonly value: unknown } | { readonly fault: string }

/**
 * Parses the long body of an organizer, unless its shape is too costly to parse (jsonShape.ts), and turns each plan in its
 * variables into the text of its file: `createEvent` accepts both. The process that serves then handles one long text instead
 * of millions of values.
 */
export function parseLongBody(bytes: Uint8Array): ParsedBody {
  const fault = createJsonShape().read(bytes)
  if (fault !== null) return { fault }
  let body: unknown
  try {
    // TextDecoder drops a byte order mark, which JSON.parse refuses.
    body = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return { fault: 'is not JSON' }
  }
  if (!isObject(body)) return { fault: 'is no request' }
  const { query } = body
  if (typeof query === 'string' && query.length > LONGEST_DOCUMENT)
    return {
      fault: `has a document of more than ${LONGEST_DOCUMENT} characters: send the plan as a variable`,
    }
  const plans = new Set<unknown>()
  const value = { ...body, variables: withPlanTexts(body.variables, PLAN_DEPTH, plans) }
  const rest = JSON.stringify(value, (_, member) => (plans.has(member) ? '' : member))
  if (rest.length > LONGEST_REST)
    return { fault: `has more than ${LONGEST_REST} characters besides its seating plan` }
  return { value }
}

function withPlanTexts(value: unknown, depth: number, plans: Set<unknown>): unknown {
  if (typeof value === 'string' && value.length > PLAN_TEXT) plans.add(value)
  if (!isObject(value) || depth === 0) return value
  if (Array.isArray(value.zones)) {
    const text = JSON.stringify(value)
    plans.add(text)
    return text
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withPlanTexts(member, depth - 1, plans)]),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
