import { type ReadonlySignal, signal } from '@preact/signals'
import { type Fairgate, sandboxToken } from '../../../sdk/index.ts'

/** Who is signed in. The sandbox's sign-in believes any name: it stands in for an identity provider. */
export interface AccountModel {
  /** Null: nobody. */
  readonly name: ReadonlySignal<string | null>
  /** Throws as sandboxToken does. */
  signIn(name: string): Promise<void>
  signOut(): void
}

export function createAccount({ session, socket }: Fairgate): AccountModel {
  const name = signal(nameOf(session.accountToken))

  function set(token: string | null) {
    session.accountToken = token
    name.value = nameOf(token)
    socket.renew()
  }
  return {
    name,
    async signIn(wanted) {
      set(await sandboxToken(location.origin, wanted))
    },
    signOut: () => set(null),
  }
}

/** The account in a token that the server will check: to show, never to trust. Null where it has run out. */
function nameOf(token: string | null): string | null {
  try {
    const payload = (token?.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    const { sub, exp } = JSON.parse(new TextDecoder().decode(bytes))
    return typeof sub === 'string' && (typeof exp !== 'number' || exp * 1_000 > Date.now()) ? sub : null
  } catch {
    return null
  }
}
