/** The identity that a client must keep: account, device and place. */
export interface Session {
  /** A place and an admission are bound to this device. */
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
 * A session that survives a reload. All pages of a site share device and account. The tokens of a place belong to one
 * event's page (`slug`) and one account: another account deletes them.
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

// If the browser forbids storage (private window, full quota), the session lasts as long as the page is open.
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

/** 128 random bits in hexadecimal, for a device id or an idempotency key. */
export function randomId(): string {
  // Not crypto.randomUUID: browsers offer it only in secure contexts, and a phone in the same network opens
  // http://192.168.….
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
