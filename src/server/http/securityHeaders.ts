/** What a browser may do with a response. */
export type Policy = 'data' | 'page' | 'shop' | 'graphiql' | 'form' | 'mail'

/** What Stripe.js needs (https://docs.stripe.com/security/guide#content-security-policy). Its frames have the card's number. */
const STRIPE = {
  script: 'https://js.stripe.com https://*.js.stripe.com',
  frame: 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  connect: 'https://api.stripe.com',
}

const YEAR_SECONDS = 31_536_000

/**
 * The security headers of every response, by its policy, as alternating names and values: the one source of them. A browser
 * never guesses the type of a response, no page of another origin may frame it, and a page connects to its own origin only.
 * `publicUrl` with https also means that browsers must never come back without TLS. `hasStripe`: the fan's pages, and no other ones,
 * may load Stripe.js.
 */
export function securityHeaders(
  publicUrl: string,
  hasStripe: boolean,
): Readonly<Record<Policy, readonly string[]>> {
  const { protocol, host } = new URL(publicUrl)
  const isSecure = protocol === 'https:'
  // Older browsers do not count a WebSocket of the own host to 'self'.
  const connect = `connect-src 'self' ${isSecure ? 'wss' : 'ws'}://${host}`

  function headers(referrer: string, ...sources: string[]): readonly string[] {
    return headersFramedBy("'none'", referrer, ...sources)
  }

  function headersFramedBy(framing: string, referrer: string, ...sources: string[]): readonly string[] {
    const forms = sources.some((source) => source.startsWith('form-action')) ? [] : ["form-action 'none'"]
    const always = ["base-uri 'none'", ...forms]
    return [
      'content-security-policy',
      [...sources, ...always, `frame-ancestors ${framing}`].join('; '),
      'x-content-type-options',
      'nosniff',
      'referrer-policy',
      referrer,
      ...(isSecure ? ['strict-transport-security', `max-age=${YEAR_SECONDS}`] : []),
    ]
  }

  // An organizer's image comes from their own server.
  const images = "img-src 'self' data: https:"
  const page = headers(
    'same-origin',
    "default-src 'self'",
    connect,
    images,
    "style-src 'self' 'unsafe-inline'",
  )

  return {
    data: headers('no-referrer', "default-src 'none'"),
    page,
    shop: hasStripe
      ? headers(
          'same-origin',
          "default-src 'self'",
          `script-src 'self' ${STRIPE.script}`,
          `frame-src ${STRIPE.frame}`,
          `${connect} ${STRIPE.connect}`,
          images,
          "style-src 'self' 'unsafe-inline'",
        )
      : page,
    form: headers('same-origin', "default-src 'none'", "style-src 'unsafe-inline'", "form-action 'self'"),
    // The editor sets styles inline, and has its icons and fonts as data.
    graphiql: headers(
      'no-referrer',
      "default-src 'self'",
      connect,
      "img-src 'self' data:",
      "font-src 'self' data:",
      "style-src 'self' 'unsafe-inline'",
    ),
    // The HTML of a mail: a document without an origin, scripts and files of any server, in a frame of our own page.
    mail: headersFramedBy(
      "'self'",
      'no-referrer',
      'sandbox allow-popups allow-popups-to-escape-sandbox',
      "default-src 'none'",
      'img-src data:',
      "style-src 'unsafe-inline'",
    ),
  }
}
