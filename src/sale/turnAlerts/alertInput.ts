import { createECDH, hash } from 'node:crypto'
import type { Keys } from '../../keys.ts'
import { isPushEndpoint } from '../../push/endpoint.ts'
import type { PushTarget, RequestedAlert } from '../../sql/room/turnAlerts.ts'
import type { Account } from '../caller.ts'
import { createInputFaults, type InputFaults } from '../inputFaults.ts'
import { isTag } from '../languages.ts'

/** A browser's subscription, as `PushSubscription.toJSON()` has it. */
export interface PushInput {
  endpoint: string
  p256dh: string
  auth: string
  /** The `applicationServerKey` of the subscription. */
  key: string
}

const AUTH_BYTES = 16

/** Checks the input, and returns the alerts that it requests. Throws BAD_USER_INPUT with every fault at its path. */
export function readAlertInput(
  keys: Pick<Keys, 'push'>,
  { email }: Account,
  { mail, push, locale }: { mail?: boolean | null; push?: PushInput | null; locale?: string | null },
): RequestedAlert[] {
  const faults = createInputFaults()
  const target = push ? readPush(keys, push, faults) : null
  if (locale != null && !isTag(locale)) faults.add(['input', 'locale'], 'must be a BCP 47 tag such as de-AT')
  faults.throwAny()
  return [
    ...(mail ? [{ target: '', email, push: null }] : []),
    ...(target ? [{ target: hash('sha256', target.endpoint, 'base64url'), email: null, push: target }] : []),
  ]
}

/** Null where a fault was added. */
function readPush(
  keys: Pick<Keys, 'push'>,
  { endpoint, p256dh, auth, key }: PushInput,
  faults: InputFaults,
): PushTarget | null {
  const at = (field: keyof PushInput) => ['input', 'push', field]
  const before = faults.count
  const ours = keys.push.find(({ publicKey }) => publicKey === key)
  if (!isPushEndpoint(endpoint))
    faults.add(at('endpoint'), 'must be an https address of a push service, of at most 1,000 characters')
  if (!isPoint(p256dh)) faults.add(at('p256dh'), 'must be a point of P-256 in base64url')
  if (!isBase64url(auth) || Buffer.from(auth, 'base64url').length !== AUTH_BYTES)
    faults.add(at('auth'), `must be ${AUTH_BYTES} bytes in base64url`)
  if (!ours) faults.add(at('key'), 'must be the pushKey of this service')
  if (!ours || faults.count > before) return null
  return { endpoint: new URL(endpoint).href, p256dh, auth, key: ours.kid }
}

function isBase64url(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(text)
}

/** True for an uncompressed point of the curve: no message could be encrypted for another one. */
function isPoint(text: string): boolean {
  if (!isBase64url(text)) return false
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length !== 65 || bytes[0] !== 4) return false
  try {
    const pair = createECDH('prime256v1')
    pair.generateKeys()
    pair.computeSecret(bytes)
    return true
  } catch {
    return false
  }
}
