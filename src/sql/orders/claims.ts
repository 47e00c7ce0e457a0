import type { Money } from '../../money.ts'
import { HELD, type SeatChange } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { changesTo, type RevisedSeats } from '../holds/revisedSeats.ts'

export interface Claim {
  eventId: string
  holdId: string
  accountId: string
  /** The id that the order gets if it is made. */
  orderId: string
  idempotencyKey: string
  inputHash: string
  email: string | null
  provider: string
  paymentMethod: string
}

/**
 * Declined cards of an account within a minute before the next one has to wait: more than a person tries, and too few
 * to test stolen numbers or to use up the provider's permits.
 */
const DECLINES_A_MINUTE = 5

/** Reads, before any write, the key's order, the hold, and the order that decides over the hold. */
export async function readClaim(
  db: Database,
  { eventId, holdId, accountId, idempotencyKey }: Claim,
): Promise<{
  keyOrderId: string | null
  keyInputHash: string | null
  /** Null where the account has no such hold. `isOver`: released, swept or sold, so its seats are not its own. */
  hold: (Money & { isOver: boolean }) | null
  /** The order that is paying for the hold, has bought it, or found its seats gone. */
  holdOrderId: string | null
  /** That order waits for its buyer to do something with the provider. */
  holdOrderWaits: boolean
  /** Seconds until the account may try a card again, where it was declined too often. */
  pausedSeconds: number | null
}> {
  const [row] = await db.prisma.$queryRaw<
    {
      keyOrderId: string | null
      keyInputHash: string | null
      amount: bigint | null
      currency: string | null
      isOver: boolean | null
      holdOrderId: string | null
      holdOrderWaits: boolean
      pausedSeconds: number | null
    }[]
  >`
    select k.id as "keyOrderId", k.input_hash as "keyInputHash", h.amount, h.currency,
        h.outcome is not null as "isOver", l.id as "holdOrderId",
        coalesce(l.state = 'PAYING' and l.next_action is not null, false) as "holdOrderWaits", (
          select ceil(extract(epoch from d.placed_at + interval '1 minute' - now()))::int
            from orders d
            where d.event_id = ${eventId} and d.account_id = ${accountId} and d.state = 'DECLINED'
              and d.placed_at > now() - interval '1 minute'
            order by d.placed_at desc
            offset ${DECLINES_A_MINUTE - 1}
            limit 1
        ) as "pausedSeconds"
      from (select) as always
      left join orders k
        on k.event_id = ${eventId} and k.account_id = ${accountId} and k.idempotency_key = ${idempotencyKey}
      left join holds h on h.event_id = ${eventId} and h.id = ${holdId} and h.account_id = ${accountId}
      left join orders l
        on l.event_id = h.event_id and l.hold_id = h.id and l.state in ('PAYING', 'CONFIRMED', 'CANCELLED', 'SEATS_GONE')`
  const { amount, currency, isOver, ...known } = row as NonNullable<typeof row>
  const hold = amount === null || currency === null ? null : { amount, currency, isOver: isOver === true }
  return { ...known, hold }
}

export interface ClaimRow {
  outcome: 'claimed' | 'known' | 'key_reused' | 'seats_gone' | 'hold_not_found'
  /** The new order, or the one that was there. */
  orderId: string | null
  /** `known` only: that order was made with this key, and not with another key for the same hold. */
  isOfKey: boolean
  /** Of the seats whose hold lasts longer. */
  changes: SeatChange[]
}

/** See prisma/functions/claim_order.sql. */
export async function claimOrder(db: Database, claim: Claim): Promise<ClaimRow> {
  const [{ seatNos, revisions, ...row }] = await db.prisma.$queryRaw<
    [Omit<ClaimRow, 'changes'> & RevisedSeats]
  >(
    CLAIM_ORDER(
      claim.eventId,
      claim.holdId,
      claim.accountId,
      claim.orderId,
      claim.idempotencyKey,
      claim.inputHash,
      claim.email,
      claim.provider,
      claim.paymentMethod,
    ),
  )
  return { ...row, changes: changesTo(HELD, { seatNos, revisions }) }
}

const CLAIM_ORDER = statement(
  'claim_order',
  `select outcome, order_id as "orderId", is_of_key as "isOfKey", seat_nos as "seatNos", revisions
   from claim_order($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)
