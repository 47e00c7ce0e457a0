import type { PaymentProvider } from '../../../src/payments/provider.ts'
import { createStripe } from '../../../src/payments/stripe.ts'
import { fakeStripe } from '../fakeStripe/index.ts'
import type { Intent } from '../fakeStripe/payments.ts'
import type { Card, Network, NetworkRecord } from './network.ts'

const CARDS: Readonly<Record<Card, string>> = {
  approved: 'pm_card_visa',
  declined: 'pm_card_visa_chargeDeclined',
  lostReply: 'pm_fake_lostReply',
  needsAction: 'pm_card_authenticationRequired',
  approvedLater: 'pm_fake_processing',
  declinedLater: 'pm_fake_processingDeclined',
  undecided: 'pm_fake_undecided',
  captureUnknown: 'pm_fake_captureUnknown',
  captureRefused: 'pm_fake_captureRefused',
  refundRefused: 'pm_fake_refundRefused',
  refundLostReply: 'pm_card_mastercard',
  refundPending: 'pm_card_pendingRefund',
}
const DECIDED_LATER = [CARDS.approvedLater, CARDS.declinedLater]
const REFUNDS = /^POST \/v1\/refunds$/

/** Stripe's adapter and SDK, at a server that speaks Stripe's API. */
export async function stripeNetwork(): Promise<Network> {
  const server = await fakeStripe()
  const { faults } = server
  const stripe = createStripe({
    secretKey: server.secretKey,
    publishableKey: 'pk_test_fairgate',
    apiUrl: server.url,
  })
  const provider: PaymentProvider = {
    ...stripe,
    confirm(request) {
      if (request.paymentMethod === CARDS.lostReply)
        faults.next(new RegExp(`${request.intentId}/confirm$`), 'lost after')
      return stripe.confirm(request)
    },
  }
  const intentsOf = (orderId: string) => server.intents().filter((intent) => orderOf(intent) === orderId)

  function toRecord({ id }: Intent): NetworkRecord {
    // Read by its id, which ends an authorization that has lapsed.
    const intent = server.intent(id)
    const refunds = server.refunds(id).filter(({ status }) => status === 'succeeded')
    return {
      intentId: id,
      orderId: orderOf(intent),
      state: stateOf(intent),
      captured: intent.amountReceived,
      refunded: refunds.reduce((sum, { amount }) => sum + amount, 0),
    }
  }

  return {
    name: 'stripe',
    provider,
    cards: CARDS,
    records: async () => server.intents().map(toRecord),
    async approve(intentId) {
      if (server.intent(intentId).status === 'requires_action') server.authenticate(intentId, 'passed')
    },
    async refuse(intentId) {
      if (server.intent(intentId).status === 'requires_action') server.authenticate(intentId, 'failed')
    },
    decide: async (intentId) => server.decide(intentId),
    async becomes(orderId, card) {
      for (const intent of intentsOf(orderId)) intent.card = CARDS[card]
      if (card === 'refundLostReply') faults.next(REFUNDS, 'lost after')
    },
    async age(orderId, minutes) {
      for (const intent of intentsOf(orderId)) {
        intent.created -= minutes * 60
        if (intent.authorizedAt !== null) intent.authorizedAt -= minutes * 60
        if (intent.status === 'processing' && DECIDED_LATER.includes(intent.card ?? ''))
          server.decide(intent.id)
      }
    },
    async settleRefunds() {
      for (const { id } of server.intents())
        for (const refund of server.refunds(id))
          if (refund.status === 'pending') server.settleRefund(refund.id, 'succeeded')
    },
    async out(isOut) {
      if (isOut) faults.always(/./, 'lost before')
      else faults.heal()
    },
  }
}

const orderOf = ({ metadata }: Intent) => metadata.fairgate_order as string

function stateOf({ status, lastError }: Intent): string {
  switch (status) {
    case 'requires_payment_method':
      return lastError ? 'declined' : 'unconfirmed'
    case 'requires_action':
      return 'action_required'
    case 'requires_capture':
      return 'authorized'
    case 'succeeded':
      return 'captured'
    case 'canceled':
      return 'cancelled'
    default:
      return status
  }
}
