/** What the purchase is doing. `paying`: the bank has the payment, and the page waits for its answer. */
export type PurchaseState = 'idle' | 'holding' | 'releasing' | 'paying'
