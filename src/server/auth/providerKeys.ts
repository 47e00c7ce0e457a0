import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { overloaded } from '../../sale/faults.ts'
import { Unfit } from '../../unfit.ts'

/** Keys are fetched again after this time. Where that fails, the known keys stay valid. */
const REFRESH_MS = 600_000
/** The shortest time between two fetches: tokens with invented keys cause no more. */
const COOLDOWN_MS = 5_000
const TIMEOUT_MS = 3_000

export interface ProviderKeys {
  /**
   * Throws OVERLOADED where the keys cannot be fetched. Throws OVERLOADED also for a key that the last fetch did not have, until
   * the next fetch: the provider may have published it since.
   */
  readonly keyOf: JWTVerifyGetKey
  /** Fetches the keys if there are none, or if the last fetch failed. Throws Unfit where they cannot be fetched. */
  requireKeys(): Promise<void>
}

/** The keys of the identity provider, fetched on demand and cached. */
export function createProviderKeys(url: string, log: Logger): ProviderKeys {
  let fetchedAt = Number.NEGATIVE_INFINITY
  let fetches = 0
  let hasFailed = true

  const keys = createRemoteJWKSet(new URL(url), {
    timeoutDuration: TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: (address: string, options: object) => {
      fetchedAt = performance.now()
      fetches++
      return fetch(address, options)
    },
  })

  async function reload(): Promise<void> {
    try {
      await keys.reload()
      hasFailed = false
    } catch (error) {
      fetchFailed(error)
      throw error
    }
  }

  function fetchFailed(error: unknown) {
    hasFailed = true
    log.warn({ err: error }, 'the keys of JWKS_URL cannot be fetched')
  }

  return {
    async keyOf(header, token) {
      const before = fetches
      if (performance.now() - fetchedAt > REFRESH_MS && keys.jwks()) void reload().catch(() => {})
      try {
        const key = await keys(header, token)
        if (fetches > before) hasFailed = false
        return key
      } catch (error) {
        const isUnknown = error instanceof errors.JWKSNoMatchingKey
        if (isUnknown && fetches > before) hasFailed = false
        if (isUnknown && fetches === before) throw overloaded(Math.ceil(COOLDOWN_MS / 1_000))
        if (isUnknown || TOKENS_FAULT.some((reason) => error instanceof reason)) throw error
        fetchFailed(error)
        throw overloaded(2)
      }
    },
    async requireKeys() {
      const isFirst = fetchedAt === Number.NEGATIVE_INFINITY
      if (hasFailed && performance.now() - fetchedAt > COOLDOWN_MS) {
        const reloaded = reload().catch(() => {})
        // Later checks return the last state: a provider that hangs must not make `/readyz` slow.
        if (isFirst) await reloaded
      }
      if (hasFailed) throw new Unfit('has no keys: those at JWKS_URL cannot be fetched')
    },
  }
}

/** The errors of a token that names several keys, or a key of another kind. */
const TOKENS_FAULT = [errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]
