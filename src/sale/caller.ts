export type Role = 'organizer' | 'ops'

/** The account of a valid token. */
export interface Account {
  readonly id: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly roles: ReadonlySet<Role>
}

/** The caller's account, device and admission token. Browsing needs none of them. */
export interface Caller {
  readonly account: Account | null
  readonly deviceId: string | null
  readonly admissionToken: string | null
  /** The client's address, behind our own proxies. Null or left out: unknown, as for callers inside the process. */
  readonly address?: string | null
}
