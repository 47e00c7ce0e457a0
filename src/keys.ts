import { createECDH, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import type { Logger } from 'pino'
import { StartFailed } from './startFailed.ts'

/** The first key of a ring signs. All keys of a ring verify, so that keys can rotate during a sale. */
export interface SecretKey {
  readonly kid: string
  readonly secret: Uint8Array
}

export interface PairedKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

/** A key pair of web push (VAPID, RFC 8292), in base64url. A browser's subscription is bound to the public key. */
export interface PushKey {
  readonly kid: string
  readonly publicKey: string
  readonly privateKey: string
}

/** The key rings. A ring is replaced, never changed. */
export interface Keys {
  /** HMAC-SHA-256, for queue tokens and admissions: only Fairgate reads them. */
  readonly tokens: readonly [SecretKey, ...SecretKey[]]
  /** Ed25519, for barcodes: the door checks them offline. */
  readonly barcodes: readonly [PairedKey, ...PairedKey[]]
  /** Ed25519, for account tokens, where the app is its own issuer. */
  readonly accounts: readonly [PairedKey, ...PairedKey[]]
  /** P-256, for web push: new subscriptions are bound to the first one. Empty: the service sends no web push. */
  readonly push: readonly PushKey[]
}

/** The keys that the file has now. */
export interface FollowedKeys extends Keys {
  close(): void
}

/** The content of the keys' file: its rings, each with the key that signs first. */
export interface KeysFile {
  tokens: { kid: string; k: string }[]
  barcodes: JWK[]
  accounts: JWK[]
  /** The private keys of web push. A file of before the ring has none. */
  push?: { kid: string; d: string }[]
}

const PUSH_CURVE = 'prime256v1'
const PUSH_KEY_BYTES = 32

/** Makes a new key for a ring. */
export const NEW_KEY: {
  readonly [Ring in keyof KeysFile]-?: () => Promise<NonNullable<KeysFile[Ring]>[number]>
} = {
  tokens: async () => ({
    kid: randomBytes(6).toString('base64url'),
    k: randomBytes(32).toString('base64url'),
  }),
  barcodes: makePair,
  accounts: makePair,
  push: async () => {
    const pair = createECDH(PUSH_CURVE)
    pair.generateKeys()
    return {
      kid: randomBytes(6).toString('base64url'),
      d: padded(pair.getPrivateKey()).toString('base64url'),
    }
  },
}

/** Returns new keys, one for each ring. */
export async function makeKeys(): Promise<KeysFile> {
  return {
    tokens: [await NEW_KEY.tokens()],
    barcodes: [await NEW_KEY.barcodes()],
    accounts: [await NEW_KEY.accounts()],
    push: [await NEW_KEY.push()],
  }
}

/** The file is read at this interval: no reliable signal reports a change of a mounted secret. */
const READ_AGAIN_MS = 1_000

/**
 * Reads a keys' file, and reads it again each second. A change takes effect at once, without a restart that would close
 * every socket. A file that cannot be read or used, for example during a write, changes nothing.
 *
 * Throws StartFailed where the first read fails.
 */
export async function followKeys(path: string, log: Logger): Promise<FollowedKeys> {
  let keys = await readKeys(path)
  let read: string | undefined
  let fault: string | undefined
  let closed = false
  let timer = setTimeout(reload, READ_AGAIN_MS)
  timer.unref()

  async function reload() {
    try {
      const text = await readFile(path, 'utf8')
      if (text !== read) adopt(await importKeys(JSON.parse(text) as KeysFile))
      read = text
      fault = undefined
    } catch (error) {
      // Logged once, not each second.
      const { message } = error as Error
      if (message !== fault) log.error({ err: error }, 'KEYS_FILE cannot be used: the keys stay as they were')
      fault = message
    }
    if (closed) return
    timer = setTimeout(reload, READ_AGAIN_MS)
    timer.unref()
  }

  function adopt(found: Keys) {
    if (isDeepStrictEqual(kidsOf(found), kidsOf(keys))) return
    keys = found
    log.info(kidsOf(keys), 'the keys have changed: in each ring, the first key signs and all keys verify')
  }

  return {
    get tokens() {
      return keys.tokens
    },
    get barcodes() {
      return keys.barcodes
    },
    get accounts() {
      return keys.accounts
    },
    get push() {
      return keys.push
    },
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** Returns the rings' kids, which identify the keys: a changed key must have a new kid. */
function kidsOf({ tokens, barcodes, accounts, push }: Keys) {
  const kids = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid)
  return { tokens: kids(tokens), barcodes: kids(barcodes), accounts: kids(accounts), push: kids(push) }
}

/** Reads a keys' file. Throws StartFailed with the file's path where it cannot be read or has no usable keys. */
export async function readKeys(path: string): Promise<Keys> {
  let file: KeysFile
  try {
    file = JSON.parse(await readFile(path, 'utf8')) as KeysFile
  } catch (error) {
    throw new StartFailed(`KEYS_FILE: cannot read ${path} (${(error as Error).message})`)
  }
  try {
    return await importKeys(file)
  } catch (error) {
    throw new StartFailed(`KEYS_FILE: ${path} holds no usable keys (${(error as Error).message})`)
  }
}

/**
 * Imports the keys of a file. Throws where a ring is missing, empty, or has an entry that is no key of its kind. Only `push` may be
 * missing or empty.
 */
export async function importKeys(file: KeysFile): Promise<Keys> {
  return {
    tokens: ring(
      'tokens',
      (file.tokens ?? []).map(({ kid, k }) => {
        const secret = Buffer.from(k, 'base64url')
        if (secret.length < 32) throw new Error(`tokens: key ${kid} is shorter than 32 bytes`)
        return { kid, secret }
      }),
    ),
    barcodes: ring('barcodes', await Promise.all((file.barcodes ?? []).map(importPair))),
    accounts: ring('accounts', await Promise.all((file.accounts ?? []).map(importPair))),
    push: file.push?.length ? ring('push', file.push.map(importPushKey)) : [],
  }
}

/** Returns the public halves of a ring. */
export function publicKeys(pairs: readonly PairedKey[]): JSONWebKeySet {
  return { keys: pairs.map(({ publicJwk }) => publicJwk) }
}

function ring<T extends { kid: string }>(name: string, keys: T[]): [T, ...T[]] {
  const [first, ...rest] = keys
  if (first === undefined) throw new Error(`${name}: needs at least one key`)
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length)
    throw new Error(`${name}: two keys have one kid`)
  return [first, ...rest]
}

async function makePair(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' }
}

async function importPair(jwk: JWK): Promise<PairedKey> {
  if (typeof jwk.kid !== 'string') throw new Error('a key without kid')
  const { d: _, ...publicJwk } = jwk
  return { kid: jwk.kid, privateKey: (await importJWK(jwk, 'EdDSA')) as CryptoKey, publicJwk }
}

function importPushKey({ kid, d }: NonNullable<KeysFile['push']>[number]): PushKey {
  const privateKey = Buffer.from(d, 'base64url')
  if (privateKey.length !== PUSH_KEY_BYTES) throw new Error(`push: key ${kid} is not ${PUSH_KEY_BYTES} bytes`)
  const pair = createECDH(PUSH_CURVE)
  pair.setPrivateKey(privateKey)
  return {
    kid,
    publicKey: pair.getPublicKey().toString('base64url'),
    privateKey: privateKey.toString('base64url'),
  }
}

/** A private key may begin with zeros, which Node leaves out. */
function padded(privateKey: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(PUSH_KEY_BYTES - privateKey.length), privateKey])
}
