import { isThisMachine } from './addresses.ts'

/** A mail server of the internet refuses or drops mails of the default sender, which is at no domain. */
export function unfitSender({ SMTP_URL, MAIL_FROM }: Record<string, string | undefined>): string[] {
  const host = hostOf(SMTP_URL)
  if (host === undefined || isThisMachine(host)) return []
  if (MAIL_FROM === undefined)
    return [
      'MAIL_FROM is missing: the sender of mails over SMTP_URL, such as "Box office <tickets@example.com>".',
    ]
  return /@[^@\s<>]+\.[^@\s<>.]+>?\s*$/.test(MAIL_FROM)
    ? []
    : [`MAIL_FROM must end with an address such as <tickets@example.com>, not "${MAIL_FROM}".`]
}

/** The sandbox gives tickets for no money: in production only where the configuration says so. */
export function unstatedSandbox(given: Record<string, string | undefined>): string[] {
  const { EMBEDDED, PAYMENTS, PAYMENT_PROVIDERS, STRIPE_SECRET_KEY, MOLLIE_API_KEY } = given
  const isStated = PAYMENTS ?? PAYMENT_PROVIDERS ?? STRIPE_SECRET_KEY ?? MOLLIE_API_KEY
  if (EMBEDDED === 'true' || isStated !== undefined) return []
  return [
    'PAYMENTS is missing: no payment provider has keys. Set PAYMENTS=sandbox for a rehearsal, in which tickets cost no money.',
  ]
}

/** Returns the host of an address; undefined for one that is not well-formed, which is a fault of its own. */
export function hostOf(address: string | undefined): string | undefined {
  return URL.parse(address ?? '')?.hostname || undefined
}
