import type { PaymentProvider } from '../../../src/payments/provider.ts'

/** What a card does, in the words of the table of payments. */
export type Card =
  | 'approved'
  | 'declined'
  /** Approved; the reply to the confirmation is lost. */
  | 'lostReply'
  | 'needsAction'
  /** Not decided when it is sent; decided once time has passed. */
  | 'approvedLater'
  | 'declinedLater'
  /** Not decided until `decide`. */
  | 'undecided'
  /** Approved; the capture always fails, and does nothing. */
  | 'captureUnknown'
  | 'captureRefused'
  | 'refundRefused'
  | 'refundLostReply'
  | 'refundPending'

/** A payment as its provider keeps it, read behind the provider's adapter. Minor units; `refunded` is done. */
export interface NetworkRecord {
  intentId: string
  orderId: string
  /** In the words of PaymentStatus. */
  state: string
  captured: number
  refunded: number
}

/** A provider for the table of payments: the real adapter, and a card network that the test governs. */
export interface Network {
  readonly name: 'sandbox' | 'stripe' | 'mollie'
  readonly provider: PaymentProvider
  /** The payment methods. `pm_card_visa` is approved at each network. */
  readonly cards: Readonly<Record<Card, string>>
  records(): Promise<NetworkRecord[]>
  /** The buyer acts. Nothing happens where the payment waits for no buyer. */
  approve(intentId: string): Promise<void>
  refuse(intentId: string): Promise<void>
  /** The network approves a payment that it has not decided. */
  decide(intentId: string): Promise<void>
  /** The card of an order behaves in another way from now on. */
  becomes(orderId: string, card: Card): Promise<void>
  /** Time passes for the payments of an order. */
  age(orderId: string, minutes: number): Promise<void>
  /** The pending refunds are done. */
  settleRefunds(): Promise<void>
  /** No call is answered, and none has an effect. */
  out(isOut: boolean): Promise<void>
}
