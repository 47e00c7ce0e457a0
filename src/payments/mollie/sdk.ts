import type { Client } from 'mollie-api-typescript'
import { ProviderBusy } from '../provider.ts'

export interface MollieSettings {
  apiKey: string
  /** Another address than Mollie's own, for tests; null: Mollie's. */
  apiUrl: string | null
}

export type RequestOptions = { signal: AbortSignal }

export interface Sdk {
  /**
   * Runs a call of the SDK, and returns its answer. Throws ProviderBusy for an answer 429: Mollie did nothing then. Throws
   * the SDK's error for every other answer. `run` passes the options on to the SDK, so that the signal ends the request.
   */
  call<T>(signal: AbortSignal, run: (client: Client, options: RequestOptions) => Promise<T>): Promise<T>
}

const BUSY_SECONDS = 1

/**
 * Loads Mollie's SDK, with its retries off. The module is loaded only where Mollie is configured: loading it takes a second and
 * 60 MB.
 *
 * It is Mollie's newer SDK. The older one, `@mollie/api-client`, sends each request up to three times after an error 500, takes
 * no AbortSignal and has no timeout.
 */
export function loadMollie({ apiKey, apiUrl }: MollieSettings): Sdk {
  const loading = import('mollie-api-typescript').then(
    ({ Client }) =>
      new Client({
        security: { apiKey },
        retryConfig: { strategy: 'none' },
        ...(apiUrl !== null && { serverURL: apiUrl }),
      }),
  )
  return {
    async call(signal, run) {
      const client = await loading
      signal.throwIfAborted()
      try {
        return await run(client, { signal })
      } catch (error) {
        if (statusOf(error) === 429) throw new ProviderBusy(BUSY_SECONDS)
        throw error
      }
    },
  }
}

/** Returns the status of an answer of Mollie's that is an error; null for any other error: its call's outcome is unknown. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error && 'statusCode' in error)) return null
  // A record that the SDK cannot read has the status 200.
  return typeof error.statusCode === 'number' && error.statusCode >= 400 ? error.statusCode : null
}

/** Mollie refused the request and did nothing. */
export function isRefusal(error: unknown): boolean {
  return [400, 404, 410, 422].includes(statusOf(error) ?? 0)
}
