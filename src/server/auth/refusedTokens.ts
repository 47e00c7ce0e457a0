import type { Logger } from 'pino'
import type { Env } from '../../env.ts'
import { Unfit } from '../../unfit.ts'
import { withoutSecretsText } from '../../withoutSecrets.ts'
import type { RefusedToken, TokenFault } from './accountToken.ts'

/** A fault is logged once in this time, with its count. */
const LOG_EVERY_MS = 60_000
/** Faults of these reasons may come from the configuration. The others are those of single tokens, such as one that ended. */
const SETTING: Partial<Record<TokenFault, string>> = {
  iss: 'JWT_ISSUER',
  aud: 'JWT_AUDIENCE',
  key: 'JWKS_URL',
}

export interface RefusedTokens {
  refused(token: RefusedToken): void
  accepted(): void
  /** Throws Unfit where tokens were refused within the last minute for a reason of the configuration, and none was accepted. */
  requireAccepted(): void
}

/** Notices a configuration by which no token is valid: each fan would only read that an account is needed. */
export function createRefusedTokens(
  { issuer, audience }: Env['identity'],
  log: Logger,
  onRefused: (fault: TokenFault) => void = () => {},
): RefusedTokens {
  const expected: Partial<Record<TokenFault, string>> = { iss: issuer, aud: audience }
  const kinds = new Map<TokenFault, { loggedAt: number; count: number }>()
  let acceptedAt = Number.NEGATIVE_INFINITY
  let last: { fault: TokenFault; at: number } | undefined

  return {
    refused({ fault, isSigned, value }) {
      onRefused(fault)
      const setting = SETTING[fault]
      if (!setting) return
      const now = performance.now()
      // Any caller can write a claim and invent a key, but only the provider can sign. Where a token was valid once, the
      // keys are the provider's: then the log and the metric alone report tokens with other keys.
      const isFirst = acceptedAt === Number.NEGATIVE_INFINITY
      if (isSigned || (fault === 'key' && isFirst)) last = { fault, at: now }
      const kind = kinds.get(fault) ?? { loggedAt: Number.NEGATIVE_INFINITY, count: 0 }
      kinds.set(fault, kind)
      kind.count++
      if (now - kind.loggedAt < LOG_EVERY_MS) return
      log.warn(
        {
          claim: fault === 'key' ? 'kid' : fault,
          expected: expected[fault] ?? 'a key of JWKS_URL',
          found: withoutSecretsText(JSON.stringify(value) ?? 'nothing', 200),
          setting,
          isSigned,
          tokens: kind.count,
        },
        'account tokens are refused: their fans have no account',
      )
      Object.assign(kind, { loggedAt: now, count: 0 })
    },
    accepted() {
      acceptedAt = performance.now()
    },
    requireAccepted() {
      if (!last || performance.now() - last.at > LOG_EVERY_MS || acceptedAt >= last.at) return
      const { fault } = last
      throw new Unfit(
        fault === 'key'
          ? 'refuses tokens: their keys are not among those of JWKS_URL'
          : `refuses tokens: their ${fault} is not "${expected[fault]}" (${SETTING[fault]})`,
      )
    },
  }
}
