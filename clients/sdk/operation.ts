declare const typed: unique symbol

/** A GraphQL document with the types of its variables and its data. */
export interface Operation<Data, Variables> {
  readonly text: string
  readonly name: string
  /**
   * True if a second request has no second effect: a query, a mutation with an idempotency key, or one that ends in the
   * same state. The client resends only these after a lost answer.
   */
  readonly repeatable: boolean
  readonly [typed]?: (variables: Variables) => Data
}

/** Creates an operation from a document with one named operation. Throws an Error if it has no name. */
export function operation<Data, Variables = Record<string, never>>(
  text: string,
  repeatable = true,
): Operation<Data, Variables> {
  const name = /(?:query|mutation|subscription)\s+(\w+)/.exec(text)?.[1]
  if (!name) throw new Error('an operation must have a name')
  return { text: text.replace(/\s+/g, ' ').trim(), name, repeatable }
}
