declare const typed: unique symbol

/** A GraphQL document with the types of its variables and its data. `npm run schema` makes them all. */
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

/** Returns the operation of a text such as `query Name{…}`. */
export function operation<Data, Variables>(text: string, repeatable = true): Operation<Data, Variables> {
  return { text, name: /\w+ (\w+)/.exec(text)?.[1] ?? '', repeatable }
}
