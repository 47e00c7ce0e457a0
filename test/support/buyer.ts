/*
 * A process that buys a hold and never finishes: it writes "authorized" once the provider has answered, and then waits to
 * be killed.
 *
 *     node test/support/buyer.ts <database url> <account> <hold> <key>
 */
import { createDatabase } from '../../src/sql/database/database.ts'
import { testCheckout } from './checkout.ts'

const [url, accountId, holdId, idempotencyKey] = process.argv.slice(2) as [string, string, string, string]

const { checkout } = testCheckout(createDatabase(url), {
  timeoutMs: 600_000,
  wrap: (provider) => ({
    ...provider,
    async confirm(request) {
      await provider.confirm(request)
      process.stdout.write('authorized\n')
      return new Promise(() => {})
    },
  }),
})
await checkout(
  { id: accountId, email: null, emailVerified: true, roles: new Set() },
  { holdId, paymentMethod: 'pm_card_visa', idempotencyKey },
)
