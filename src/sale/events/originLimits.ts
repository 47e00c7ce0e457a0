/**
 * The default limits on the seats that live holds from one address or device have together.
 *
 * A share of the seats, since that bounds what honest fans behind one address can hold, however fast the sale goes: while
 * every seat is held, an address with a share of the fans has about that share of the seats. A carrier's NAT address serves
 * a few thousand subscribers at most, so of a crowd of a hundred thousand it has far below a hundredth; a campus or a company
 * may have a few hundredths. In a small hall, 25 accounts at their ticket limit may hold at once, so that an office or a school
 * can buy together.
 */
const SHARE_PER_ADDRESS = 1 / 20
const ACCOUNTS_PER_ADDRESS = 25
const ACCOUNTS_PER_DEVICE = 5

/** Returns the default limits in seats. `capacity`: the event's seats and units. */
export function defaultOriginLimits(ticketLimit: number, capacity: number) {
  return {
    heldPerAddress: Math.max(ACCOUNTS_PER_ADDRESS * ticketLimit, Math.ceil(SHARE_PER_ADDRESS * capacity)),
    heldPerDevice: ACCOUNTS_PER_DEVICE * ticketLimit,
  }
}
