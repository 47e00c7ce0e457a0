import type { Amount, Capture, Payment, Refund } from './payments.ts'

/*
 * Mollie's records as its API sends them (docs.mollie.com/reference). The SDK checks every field.
 */

const HOST = 'https://api.mollie.example/v2'
const link = (href: string, type = 'application/hal+json') => ({ href, type })
const page = (href: string) => link(href, 'text/html')
const iso = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+00:00')

export function paymentView(payment: Payment, openUntil: Date, authorizedUntil: Date | null) {
  const { id, status, amount, captured, authorizedAt, failureReason } = payment
  return {
    resource: 'payment',
    id,
    mode: 'test',
    createdAt: iso(payment.createdAt),
    amount,
    description: payment.description,
    method: 'creditcard',
    metadata: payment.metadata,
    status,
    ...((status === 'open' || status === 'authorized') && { isCancelable: payment.isCancelable }),
    ...(status === 'open' && { expiresAt: iso(openUntil.getTime()) }),
    ...(authorizedAt && { authorizedAt: iso(authorizedAt) }),
    ...(status === 'authorized' && authorizedUntil && { captureBefore: iso(authorizedUntil.getTime()) }),
    ...(captured !== null && { amountCaptured: { ...amount, value: captured } }),
    ...(failureReason && { details: { failureReason } }),
    captureMode: 'manual',
    profileId: 'pfl_fairgate',
    sequenceType: 'oneoff',
    redirectUrl: payment.redirectUrl,
    webhookUrl: payment.webhookUrl,
    _links: {
      self: link(`${HOST}/payments/${id}`),
      ...(status === 'open' && { checkout: page(`https://www.mollie.example/checkout/credit-card/${id}`) }),
      dashboard: page(`https://my.mollie.example/dashboard/payments/${id}`),
      documentation: page('https://docs.mollie.com/reference/get-payment'),
    },
  }
}

function part(kind: string, { id, paymentId, createdAt, amount }: Capture | Refund) {
  return {
    resource: kind,
    id,
    mode: 'test',
    amount: amount as Amount,
    paymentId,
    createdAt: iso(createdAt),
    _links: {
      self: link(`${HOST}/payments/${paymentId}/${kind}s/${id}`),
      payment: link(`${HOST}/payments/${paymentId}`),
      documentation: page(`https://docs.mollie.com/reference/get-${kind}`),
    },
  }
}

export const captureView = (capture: Capture) => ({ ...part('capture', capture), status: capture.status })

export const refundView = (refund: Refund) => ({
  ...part('refund', refund),
  status: refund.status,
  description: refund.paymentId,
  metadata: refund.metadata,
})

export function listView(name: string, url: URL, items: readonly { id: string }[]) {
  const limit = Number(url.searchParams.get('limit') ?? 50)
  const found = url.searchParams.get('from')
  const from = Math.max(
    0,
    items.findIndex(({ id }) => id === found),
  )
  const next = items[from + limit]
  const nextUrl = new URL(url)
  if (next) nextUrl.searchParams.set('from', next.id)
  const shown = items.slice(from, from + limit)
  return {
    count: shown.length,
    _embedded: { [name]: shown },
    _links: {
      self: link(url.href),
      previous: null,
      next: next ? link(nextUrl.href) : null,
      documentation: page('https://docs.mollie.com/reference/list'),
    },
  }
}

export function errorView(status: number, detail: string, field?: string) {
  const titles: Record<number, string> = {
    401: 'Unauthorized Request',
    404: 'Not Found',
    409: 'Conflict',
    422: 'Unprocessable Entity',
    429: 'Too Many Requests',
  }
  return {
    status,
    title: titles[status] ?? 'Internal Server Error',
    detail,
    ...(field !== undefined && { field }),
    _links: { documentation: page('https://docs.mollie.com/overview/handling-errors') },
  }
}
