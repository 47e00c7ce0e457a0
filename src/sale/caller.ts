export type Role = 'organizer' | 'ops'

/** Whose token was presented and found valid. */
export interface Account {
  readonly id: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly roles: ReadonlySet<Role>
}

/** Who asks, from which device, with which key to the sale; nothing of it is needed to browse. */
export interface Caller {
  readonly account: Account | null
  readonly deviceId: string | null
  readonly admissionToken: string | null
  /** The client's, behind our own proxies. Null or left out: not known, as of callers inside the process. */
  readonly address?: string | null
}
