import { eventNamedBy } from '../../sale/ids.ts'
import { eventNamedByToken } from '../../sale/tokens/tokens.ts'

/** Values of the variables that are looked at. An operation names its event in one of the first ones. */
const MOST_VALUES = 50

/**
 * Returns the event that the variables of an operation name: every id contains its event, and so does every token. Undefined
 * where none of the first 50 values names one. The event need not exist, and nothing is verified.
 */
export function eventOf(variables: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  if (!variables) return undefined
  let left = MOST_VALUES
  function find(value: unknown): string | undefined {
    if (left-- <= 0) return undefined
    if (typeof value === 'string') return eventNamedBy(value) ?? eventNamedByToken(value)
    if (typeof value !== 'object' || value === null) return undefined
    for (const key in value) {
      const found = find((value as Record<string, unknown>)[key])
      if (found !== undefined) return found
      if (left <= 0) return undefined
    }
    return undefined
  }
  return find(variables)
}
