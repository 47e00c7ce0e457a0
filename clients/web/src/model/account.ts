import { type ReadonlySignal, signal } from '@preact/signals'
import { type Fairgate, sandboxToken } from '../../../sdk/index.ts'

/** The signed-in account. The sandbox's sign-in accepts any name; it replaces an identity provider. */
export interface AccountModel {
  /** Null: not signed in. */
  readonly name: ReadonlySignal<string | null>
  /** Throws like sandboxToken. */
  signIn(name: string): Promise<void>
  signOut(): void
  /** Reads the account again that another tab may have changed. True where it is another one now. */
  follow(): boolean
}

export function createAccount({ session, socket }: Fairgate): AccountModel {
  const name = signal(accountOf(session.accountToken))

  function set(token: string | null) {
    session.accountToken = token
    name.value = accountOf(token)
    socket.renew()
  }
  return {
    name,
    async signIn(wanted) {
      set(await sandboxToken(location.origin, wanted))
    },
    signOut: () => set(null),
    follow() {
      const now = accountOf(session.accountToken)
      if (now === name.value) return false
      name.value = now
      socket.renew()
      return true
    },
  }
}

/**
 * Calls the listener when another tab of this browser has signed in or out, on any page of the site. `shown`: the account
 * that this page shows. Returns a function that stops it.
 */
export function onOtherAccount(
  { session }: Fairgate,
  shown: () => string | null,
  listener: () => void,
): () => void {
  const follow = () => {
    if (accountOf(session.accountToken) !== shown()) listener()
  }
  addEventListener('storage', follow)
  return () => removeEventListener('storage', follow)
}

/** Returns the account of a token, only for display: the server checks the token. Null if the token has expired. */
export function accountOf(token: string | null): string | null {
  try {
    const payload = (token?.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    const { sub, exp } = JSON.parse(new TextDecoder().decode(bytes))
    return typeof sub === 'string' && (typeof exp !== 'number' || exp * 1_000 > Date.now()) ? sub : null
  } catch {
    return null
  }
}
