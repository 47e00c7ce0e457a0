import { createFakeClock, type FakeClock } from '../providers/clock.ts'
import { createFaults, type Faults } from '../providers/faults.ts'
import { type FakeReply, type FakeRequest, serveProvider } from '../providers/server.ts'
import {
  type Amount,
  type Capture,
  createPaymentRecords,
  MollieFailure,
  type Payment,
  type Refund,
} from './payments.ts'
import { captureView, errorView, listView, paymentView, refundView } from './views.ts'

/*
 * A server of our own that speaks the part of Mollie's API that we call, and misbehaves on demand. The registries have no
 * maintained one. A real Mollie account still has to confirm what this server only imitates: docs/payments.md lists it.
 */

export interface FakeMollie {
  readonly url: string
  readonly apiKey: string
  readonly faults: Faults
  readonly clock: FakeClock
  readonly requests: readonly string[]
  /** The payments that changed, once for each change: Mollie's webhook carries only the id. */
  readonly changes: readonly string[]
  payment(id: string): Payment
  payments(): Payment[]
  has(id: string): boolean
  refunds(paymentId: string): Refund[]
  /** What the buyer does on Mollie's page. A card that fails authentication fails the payment. */
  buyer(paymentId: string, does: 'pays' | 'leaves' | { failsWith: string } | 'waits'): void
  /** The bank decides a payment that is `pending`. */
  decide(paymentId: string, status: 'authorized' | 'failed'): void
  /** The state in which new captures begin. */
  capturesBegin(as: Capture['status']): void
  /** The state in which new refunds begin; default: pending. */
  refundsBegin(as: Refund['status']): void
  settleCapture(paymentId: string, status: 'succeeded' | 'failed'): void
  settleRefund(refundId: string, status: Refund['status']): void
  /** From now on releases are accepted, and carried out by `settleReleases`. */
  releaseSlowly(): void
  settleReleases(): void
}

const HOUR = 3_600_000

export async function fakeMollie(): Promise<FakeMollie> {
  const clock = createFakeClock()
  const faults = createFaults()
  const requests: string[] = []
  const changes: string[] = []
  const records = createPaymentRecords(clock, ({ id }) => void changes.push(id))
  const keys = new Map<string, { reply: FakeReply | null; until: number }>()
  const apiKey = 'test_fairgate'
  let captureState: Capture['status'] = 'succeeded'
  let refundState: Refund['status'] = 'pending'
  let isReleaseSlow = false
  const releasing = new Set<string>()
  let address = ''

  const failure: FakeReply = { status: 500, body: errorView(500, 'Something went wrong on our end.') }

  async function handle(request: FakeRequest, failing: 'before' | 'after' | null): Promise<FakeReply> {
    const name = `${request.method} ${request.path}`
    requests.push(name)
    if (request.headers.authorization !== `Bearer ${apiKey}`)
      return { status: 401, body: errorView(401, 'Missing authentication, or failed to authenticate') }
    const work = async () => {
      await faults.wait(name, 'before')
      if (failing === 'before') return failure
      const answer = route(request)
      return failing === 'after' ? failure : answer
    }
    const key = request.headers['idempotency-key']
    if (request.method === 'GET' || typeof key !== 'string') return work()
    const known = keys.get(key)
    if (known && known.until > clock.now())
      return (
        known.reply ?? {
          status: 409,
          body: errorView(409, 'A request with this idempotency key is under way'),
        }
      )
    const entry = { reply: null as FakeReply | null, until: clock.now() + HOUR }
    keys.set(key, entry)
    entry.reply = await work()
    return entry.reply
  }

  function route({ method, path, query, body }: FakeRequest): FakeReply {
    try {
      const url = new URL(`${path}?${query}`, address)
      return perform(method, url, body ? (JSON.parse(body) as Record<string, unknown>) : {})
    } catch (error) {
      if (!(error instanceof MollieFailure)) throw error
      return { status: error.status, body: errorView(error.status, error.message, error.field) }
    }
  }

  const view = (payment: Payment) =>
    paymentView(
      payment,
      records.openUntil(payment),
      payment.authorizedAt === null ? null : records.authorizedUntil(payment),
    )

  function perform(method: string, url: URL, body: Record<string, unknown>): FakeReply {
    const [, id = '', part] = /^\/v2\/payments(?:\/(\w+))?(?:\/([\w-]+))?$/.exec(url.pathname) ?? []
    const ofPayment = <T extends { paymentId: string }>(all: readonly T[]) =>
      all.filter(({ paymentId }) => paymentId === id)
    switch (`${method}${id && ' :id'}${part ? `/${part}` : ''}`) {
      case 'POST':
        return { status: 201, body: view(records.create(body)) }
      case 'GET': {
        const newestFirst = [...records.payments.values()].reverse()
        return { status: 200, body: listView('payments', url, newestFirst.map(view)) }
      }
      case 'GET :id':
        return { status: 200, body: view(records.get(id)) }
      case 'PATCH :id':
        return { status: 200, body: view(records.update(id, body)) }
      case 'DELETE :id':
        return { status: 200, body: view(records.cancel(id)) }
      case 'POST :id/release-authorization':
        records.release(id, isReleaseSlow)
        releasing.add(id)
        return { status: 202, body: null }
      case 'POST :id/captures':
        return { status: 201, body: captureView(records.capture(id, body.amount as Amount, captureState)) }
      case 'GET :id/captures':
        return { status: 200, body: listView('captures', url, ofPayment(records.captures).map(captureView)) }
      case 'POST :id/refunds': {
        const { amount, metadata } = body as { amount: Amount; metadata: Record<string, string> }
        return { status: 201, body: refundView(records.refund(id, amount, metadata, refundState)) }
      }
      case 'GET :id/refunds':
        return { status: 200, body: listView('refunds', url, ofPayment(records.refunds).map(refundView)) }
      default:
        throw new MollieFailure(404, `No such address: ${method} ${url.pathname}`)
    }
  }

  address = await serveProvider({
    faults,
    contentType: 'application/hal+json',
    handle,
    limit: { status: 429, body: errorView(429, 'Too many requests') },
  })

  return {
    url: address,
    apiKey,
    faults,
    clock,
    requests,
    changes,
    payment: records.get,
    payments: () => [...records.payments.values()],
    has: (id) => records.payments.has(id),
    refunds: (id) => records.refunds.filter(({ paymentId }) => paymentId === id),
    buyer(paymentId, does) {
      const payment = records.get(paymentId)
      if (payment.status !== 'open') throw new Error(`${paymentId} is ${payment.status}`)
      if (does === 'pays') {
        payment.authorizedAt = clock.now()
        return records.move(payment, 'authorized')
      }
      if (does === 'leaves') return records.move(payment, 'canceled')
      if (does === 'waits') return records.move(payment, 'pending')
      payment.failureReason = does.failsWith
      records.move(payment, 'failed')
    },
    decide(paymentId, status) {
      const payment = records.get(paymentId)
      if (payment.status !== 'pending') throw new Error(`${paymentId} is ${payment.status}`)
      if (status === 'authorized') payment.authorizedAt = clock.now()
      records.move(payment, status)
    },
    capturesBegin(as) {
      captureState = as
    },
    refundsBegin(as) {
      refundState = as
    },
    settleCapture(paymentId, status) {
      const capture = records.captures.find((one) => one.paymentId === paymentId && one.status === 'pending')
      if (!capture) throw new Error(`${paymentId} has no pending capture`)
      records.settleCapture(capture, status)
    },
    settleRefund(refundId, status) {
      const refund = records.refunds.find(({ id }) => id === refundId)
      if (!refund) throw new Error(`no refund ${refundId}`)
      refund.status = status
    },
    releaseSlowly() {
      isReleaseSlow = true
    },
    settleReleases() {
      isReleaseSlow = false
      for (const id of releasing) records.move(records.get(id), 'canceled')
      releasing.clear()
    },
  }
}
