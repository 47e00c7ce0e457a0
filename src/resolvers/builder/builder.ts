import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import ScopeAuthPlugin, { type AuthFailure, AuthScopeFailureType } from '@pothos/plugin-scope-auth'
import type { Account } from '../../sale/caller.ts'
import { forbidden, unauthenticated } from '../../sale/faults.ts'
import type { Context } from '../request/context.ts'

type WithAccount = Context & { readonly account: Account }

export const builder = new SchemaBuilder<{
  Context: Context
  DefaultFieldNullability: false
  AuthScopes: { account: boolean; organizer: boolean; ops: boolean }
  AuthContexts: { account: WithAccount; organizer: WithAccount; ops: WithAccount }
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    SafeInt: { Input: number; Output: number | bigint }
    Base64: { Input: Uint8Array; Output: Uint8Array }
    JSON: { Input: unknown; Output: unknown }
  }
}>({
  plugins: [ScopeAuthPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    // Checks scopes once, before a subscription starts, and not for each of its values.
    authorizeOnSubscribe: true,
    authScopes: ({ account }) => ({
      account: account !== null,
      organizer: account?.roles.has('organizer') ?? false,
      ops: account?.roles.has('ops') ?? false,
    }),
    unauthorizedError: (_parent, { account }, _info, { failure }) =>
      account === null ? unauthenticated() : forbidden(missingScopes(failure).join(' or ')),
  },
})

builder.queryType({ description: 'What can be read.' })
builder.mutationType({ description: 'What can be changed. A document runs one mutation.' })
builder.subscriptionType({
  description: 'What can be watched. Each subscription sends the present value first.',
})

function missingScopes(failure: AuthFailure): string[] {
  if (failure.kind === AuthScopeFailureType.AuthScope) return [failure.scope]
  return 'failures' in failure ? failure.failures.flatMap(missingScopes) : []
}
