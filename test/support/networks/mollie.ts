import { createMollie } from '../../../src/payments/mollie.ts'
import type { PaymentProvider } from '../../../src/payments/provider.ts'
import { fakeMollie } from '../fakeMollie/index.ts'
import type { Payment } from '../fakeMollie/payments.ts'
import type { Card, Network, NetworkRecord } from './network.ts'

/** Mollie takes no card from us: the name only says what the buyer and their bank will do. */
const CARDS: Readonly<Record<Card, string>> = {
  approved: 'pm_card_visa',
  declined: 'declined',
  lostReply: 'lost reply',
  needsAction: 'waits for the buyer',
  approvedLater: 'approved later',
  declinedLater: 'declined later',
  undecided: 'undecided',
  captureUnknown: 'capture unknown',
  captureRefused: 'capture refused',
  refundRefused: 'refund refused',
  refundLostReply: 'refund lost reply',
  refundPending: 'refund pending',
}
const cardOf = new Map(Object.entries(CARDS).map(([card, name]) => [name, card as Card]))
const REFUNDS = /^POST \/v2\/payments\/\w+\/refunds$/

/** Mollie's adapter and SDK, at a server that speaks Mollie's API. Buyers open the page at once, except for `needsAction`. */
export async function mollieNetwork(): Promise<Network> {
  const server = await fakeMollie()
  const { faults } = server
  const mollie = createMollie({ apiKey: server.apiKey, apiUrl: server.url, webhookUrl: null })
  const cards = new Map<string, Card>()
  const paymentsOf = (orderId: string) => server.payments().filter((payment) => orderOf(payment) === orderId)

  /** The buyer is on Mollie's page. */
  function visit(id: string) {
    const card = cards.get(id)
    if (!card || card === 'needsAction' || server.payment(id).status !== 'open') return
    if (card === 'declined') server.buyer(id, { failsWith: 'possible_fraud' })
    else if (['approvedLater', 'declinedLater', 'undecided'].includes(card)) server.buyer(id, 'waits')
    else server.buyer(id, 'pays')
  }

  function behave(id: string, card: Card) {
    cards.set(id, card)
    server.capturesBegin(card === 'captureRefused' ? 'failed' : 'succeeded')
    server.refundsBegin(
      card === 'refundRefused' ? 'failed' : card === 'refundPending' ? 'pending' : 'refunded',
    )
    if (card === 'captureUnknown') faults.always(new RegExp(`^POST .*${id}/captures$`), 'error before')
    if (card === 'refundLostReply') faults.next(REFUNDS, 'lost after')
  }

  const provider: PaymentProvider = {
    ...mollie,
    async confirm(request) {
      const { intentId, paymentMethod } = request
      const card = cardOf.get(paymentMethod) ?? 'approved'
      behave(intentId, card)
      const status = await mollie.confirm(request)
      visit(intentId)
      if (card === 'lostReply') throw new Error('the reply was lost')
      return status.state === 'action_required' && card !== 'needsAction' ? mollie.confirm(request) : status
    },
    retrieve(request) {
      if (server.has(request.intentId)) visitOnceConfirmed(request.intentId)
      return mollie.retrieve(request)
    },
  }

  function visitOnceConfirmed(id: string) {
    if (server.payment(id).metadata.fairgateConfirmed === 'yes') visit(id)
  }

  function toRecord({ id }: Payment): NetworkRecord {
    // Read by its id, which ends a payment that has lapsed.
    const payment = server.payment(id)
    const refunds = server.refunds(id).filter(({ status }) => status === 'refunded')
    return {
      intentId: id,
      orderId: orderOf(payment),
      state: stateOf(payment),
      captured: units(payment.captured ?? '0'),
      refunded: refunds.reduce((sum, { amount }) => sum + units(amount.value), 0),
    }
  }

  return {
    name: 'mollie',
    provider,
    cards: CARDS,
    records: async () => server.payments().map(toRecord),
    async approve(intentId) {
      if (server.payment(intentId).status === 'open') server.buyer(intentId, 'pays')
    },
    async refuse(intentId) {
      if (server.payment(intentId).status === 'open')
        server.buyer(intentId, { failsWith: 'authentication_failed' })
    },
    decide: async (intentId) => server.decide(intentId, 'authorized'),
    async becomes(orderId, card) {
      faults.heal()
      for (const { id } of paymentsOf(orderId)) behave(id, card)
    },
    async age(orderId, minutes) {
      for (const payment of paymentsOf(orderId)) {
        payment.createdAt -= minutes * 60_000
        if (payment.authorizedAt !== null) payment.authorizedAt -= minutes * 60_000
        if (payment.status !== 'pending') continue
        const card = cards.get(payment.id)
        if (card === 'approvedLater') server.decide(payment.id, 'authorized')
        if (card === 'declinedLater') server.decide(payment.id, 'failed')
      }
    },
    async settleRefunds() {
      for (const { id } of server.payments())
        for (const refund of server.refunds(id))
          if (refund.status === 'pending') server.settleRefund(refund.id, 'refunded')
    },
    async out(isOut) {
      if (isOut) faults.always(/./, 'lost before')
      else faults.heal()
    },
  }
}

const orderOf = ({ metadata }: Payment) => metadata.fairgateOrder as string
const units = (value: string) => Number(value.replace('.', ''))

function stateOf({ status, metadata }: Payment): string {
  switch (status) {
    case 'open':
      return metadata.fairgateConfirmed === 'yes' ? 'action_required' : 'unconfirmed'
    case 'pending':
      return 'processing'
    case 'paid':
      return 'captured'
    case 'failed':
    case 'canceled':
    case 'expired':
      // Each of them is final at Mollie: such a payment can hold no money any more.
      return 'cancelled'
    default:
      return status
  }
}
