import { randomBytes } from 'node:crypto'
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

/** The first key of a ring signs; all of a ring verify, so that keys rotate in the middle of a sale. */
export interface SecretKey {
  readonly kid: string
  readonly secret: Uint8Array
}

export interface PairedKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

/** Rings are replaced, never changed. */
export interface Keys {
  /** HMAC-SHA-256, for queue tokens and admissions: only we read them. */
  readonly tokens: readonly [SecretKey, ...SecretKey[]]
  /** Ed25519, for barcodes: checked at the door, offline. */
  readonly barcodes: readonly [PairedKey, ...PairedKey[]]
  /** Ed25519, for account tokens, where the app is its own issuer. */
  readonly accounts: readonly [PairedKey, ...PairedKey[]]
}

/** Keys as the file has them at the moment. */
export interface FollowedKeys extends Keys {
  close(): void
}

/** The keys' file: three rings, the key that signs first. */
export interface KeysFile {
  tokens: { kid: string; k: string }[]
  barcodes: JWK[]
  accounts: JWK[]
}

/** A new key for each ring. */
export const NEW_KEY: { readonly [Ring in keyof KeysFile]: () => Promise<KeysFile[Ring][number]> } = {
  tokens: async () => ({
    kid: randomBytes(6).toString('base64url'),
    k: randomBytes(32).toString('base64url'),
  }),
  barcodes: makePair,
  accounts: makePair,
}

/** New keys, one a ring. */
export async function makeKeys(): Promise<KeysFile> {
  return {
    tokens: [await NEW_KEY.tokens()],
    barcodes: [await NEW_KEY.barcodes()],
    accounts: [await NEW_KEY.accounts()],
  }
}

/** Secrets that are mounted change without a signal that could be relied on, so the file is read again and again. */
const READ_AGAIN_MS = 1_000

/**
 * Reads a keys' file, and again each second: a changed one is in force at once, without a restart that would cost
 * every socket its connection. One that cannot be read or used, as while it is being written, changes nothing.
 *
 * Throws StartFailed where it cannot be read or used at the start.
 */
export async function followKeys(path: string, log: Logger): Promise<FollowedKeys> {
  let keys = await readKeys(path)
  let read: string | undefined
  let fault: string | undefined
  let closed = false
  let timer = setTimeout(look, READ_AGAIN_MS)
  timer.unref()

  async function look() {
    try {
      const text = await readFile(path, 'utf8')
      if (text !== read) take(await importKeys(JSON.parse(text) as KeysFile))
      read = text
      fault = undefined
    } catch (error) {
      // Told once, not each second.
      const { message } = error as Error
      if (message !== fault) log.error({ err: error }, 'KEYS_FILE cannot be used: the keys stay as they were')
      fault = message
    }
    if (closed) return
    timer = setTimeout(look, READ_AGAIN_MS)
    timer.unref()
  }

  function take(found: Keys) {
    if (isDeepStrictEqual(kidsOf(found), kidsOf(keys))) return
    keys = found
    log.info(kidsOf(keys), 'the keys have changed: of each ring the first signs, all verify')
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
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** A key is what its kid says: nobody may change one and keep its name. */
function kidsOf({ tokens, barcodes, accounts }: Keys) {
  const kids = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid)
  return { tokens: kids(tokens), barcodes: kids(barcodes), accounts: kids(accounts) }
}

/** Reads a keys' file. Throws StartFailed, which names the file, where it cannot be read or holds no usable keys. */
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

/** Throws where a ring is missing, empty, or holds something that is no key of its kind. */
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
  }
}

/** The public halves of a ring. */
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
