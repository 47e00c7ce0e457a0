declare const typed: unique symbol

/** A GraphQL document with the types of what it takes and gives. */
export interface Operation<Data, Variables> {
  readonly text: string
  readonly name: string
  /**
   * Whether sending it a second time has no second effect: queries, and mutations that are keyed or
   * end in the same state. Only these are sent again where the first answer was lost.
   */
  readonly repeatable: boolean
  readonly [typed]?: (variables: Variables) => Data
}

/** `text` holds one operation, named; a mutation that must not be repeated says so. */
export function operation<Data, Variables = Record<string, never>>(
  text: string,
  repeatable = true,
): Operation<Data, Variables> {
  const name = /(?:query|mutation|subscription)\s+(\w+)/.exec(text)?.[1]
  if (!name) throw new Error('an operation needs a name')
  return { text: text.replace(/\s+/g, ' ').trim(), name, repeatable }
}
