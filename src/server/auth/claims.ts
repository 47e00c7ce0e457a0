import type { JWTPayload } from 'jose'
import type { Env } from '../../env.ts'
import type { Account, Role } from '../../sale/caller.ts'

const ROLES: readonly Role[] = ['organizer', 'ops']
const LONGEST_ACCOUNT = 255

/** Returns the account that a valid token names; null where its subject cannot be an account. */
export function accountOf(claims: JWTPayload, names: Env['identity']['claims']): Account | null {
  if (typeof claims.sub !== 'string' || !isAccountId(claims.sub)) return null
  const email = valueAt(claims, names.email)
  const verified = valueAt(claims, names.emailVerified)
  const roles = wordsOf(valueAt(claims, names.roles))
  return {
    id: claims.sub,
    email: typeof email === 'string' ? email : null,
    // Cognito writes booleans as text.
    emailVerified: verified === true || verified === 'true',
    roles: new Set(ROLES.filter((role) => roles.includes(role))),
  }
}

/** True for an id that the database can store and a log can print. */
export function isAccountId(text: string): boolean {
  return /^[^\p{C}]+$/u.test(text) && text.length <= LONGEST_ACCOUNT
}

/**
 * Returns the value at a path such as `realm_access.roles`; undefined where there is none. A name may itself have dots, as
 * `https://tickets.example.com/roles` has: the longest name that is there counts.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    if (Object.hasOwn(value, name))
      return valueAt((value as Record<string, unknown>)[name], path.slice(dot + 1))
  }
  return undefined
}

/** The words of a list, of a text as in `scope`, or the names of an object as Zitadel writes its roles. */
function wordsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return value.split(/[\s,]+/)
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}
