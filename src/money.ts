/** An amount in the currency's minor unit (ISO 4217). */
export interface Money {
  readonly amount: bigint
  readonly currency: string
}
