/** What a client must keep to come back as the same: who it is, on which device, and with which place. */
export interface Session {
  /** What a place and an admission are bound to. */
  readonly deviceId: string
  accountToken: string | null
  queueToken: string | null
  admissionToken: string | null
}

/** A session that lives as long as the process. */
export function memorySession(deviceId: string = randomId()): Session {
  return { deviceId, accountToken: null, queueToken: null, admissionToken: null }
}

/**
 * A session that survives a reload. Device and account are shared by all pages of a site; the tokens
 * of a place belong to one event's page (`slug`) and to one account: another account drops them.
 */
export function storedSession(storage: Storage, slug: string): Session {
  const item = (key: string) => ({
    get: () => read(storage, key),
    set: (value: string | null) => write(storage, key, value),
  })
  const account = item('fairgate.account')
  const device = item('fairgate.device')
  const queue = item(`fairgate.${slug}.place`)
  const admission = item(`fairgate.${slug}.admission`)
  const deviceId = device.get() ?? randomId()
  device.set(deviceId)
  return {
    deviceId,
    get accountToken() {
      return account.get()
    },
    set accountToken(token) {
      if (token === account.get()) return
      account.set(token)
      queue.set(null)
      admission.set(null)
    },
    get queueToken() {
      return queue.get()
    },
    set queueToken(token) {
      queue.set(token)
    },
    get admissionToken() {
      return admission.get()
    },
    set admissionToken(token) {
      admission.set(token)
    },
  }
}

// A browser that forbids storage (private windows, full quota) still gets a page for as long as it is open.
const unstored = new Map<string, string>()

function read(storage: Storage, key: string): string | null {
  try {
    return storage.getItem(key) ?? unstored.get(key) ?? null
  } catch {
    return unstored.get(key) ?? null
  }
}

function write(storage: Storage, key: string, value: string | null) {
  unstored.delete(key)
  try {
    if (value === null) storage.removeItem(key)
    else storage.setItem(key, value)
  } catch {
    if (value !== null) unstored.set(key, value)
  }
}

/** 128 random bits: for a device, and for the idempotency key of one intention. */
export function randomId(): string {
  // Not crypto.randomUUID: browsers have it in secure contexts only, and a phone in the same
  // network opens http://192.168.….
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
