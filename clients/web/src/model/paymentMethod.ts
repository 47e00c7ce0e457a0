/** A card or another means of payment that the fan has entered. */
export interface PaymentMethod {
  /** The provider's token. */
  readonly token: string
  readonly provider: string
}

/** Returns what the fan has entered; null where the form itself shows what is missing. */
export type ReadMethod = () => Promise<PaymentMethod | null>
