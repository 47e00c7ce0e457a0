import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { StartFailed } from './startFailed.ts'

/** Keys that sign. The first of a ring signs; all of a ring verify, so that keys rotate in the middle of a sale. */
export interface SecretKey {
  readonly kid: string
  readonly secret: Uint8Array
}

export interface PairedKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export interface Keys {
  /** HMAC-SHA-256, for queue tokens and admissions: only we read them. */
  readonly tokens: readonly [SecretKey, ...SecretKey[]]
  /** Ed25519, for barcodes: checked at the door, offline. */
  readonly barcodes: readonly [PairedKey, ...PairedKey[]]
  /** Ed25519, for account tokens, where the app is its own issuer. */
  readonly accounts: readonly [PairedKey, ...PairedKey[]]
}

/** The keys' file: three rings, newest key first. */
export interface KeysFile {
  tokens: { kid: string; k: string }[]
  barcodes: JWK[]
  accounts: JWK[]
}

/** New keys, one a ring. */
export async function makeKeys(): Promise<KeysFile> {
  return {
    tokens: [{ kid: randomBytes(6).toString('base64url'), k: randomBytes(32).toString('base64url') }],
    barcodes: [await makePair()],
    accounts: [await makePair()],
  }
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

function ring<T>(name: string, keys: T[]): [T, ...T[]] {
  const [first, ...rest] = keys
  if (first === undefined) throw new Error(`${name}: needs at least one key`)
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
