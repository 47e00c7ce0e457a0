import { z } from 'zod'

/** Apple Wallet's passes: all variables of this list, or none. The files are PEM. */
const NEEDED = [
  'WALLET_PASS_TYPE',
  'WALLET_TEAM',
  'WALLET_CERTIFICATE_FILE',
  'WALLET_KEY_FILE',
  'WALLET_WWDR_FILE',
] as const

export const walletVariables = {
  WALLET_PASS_TYPE: z.string().optional(),
  WALLET_TEAM: z.string().optional(),
  WALLET_CERTIFICATE_FILE: z.string().optional(),
  WALLET_KEY_FILE: z.string().optional(),
  WALLET_WWDR_FILE: z.string().optional(),
  /** Of the key, where it has one. */
  WALLET_KEY_PASSPHRASE: z.string().optional(),
}

export type WalletSettings = Readonly<{
  passType: string
  team: string
  certificateFile: string
  keyFile: string
  wwdrFile: string
  keyPassphrase: string | null
}>

type Given = Readonly<Partial<Record<keyof typeof walletVariables, string | undefined>>>

/** Returns a fault for each variable that is missing beside others of Apple Wallet. */
export function halfWallet(given: Given): string[] {
  const missing = NEEDED.filter((name) => given[name] === undefined)
  const hasSome = missing.length < NEEDED.length || given.WALLET_KEY_PASSPHRASE !== undefined
  return hasSome ? missing.map((name) => `${name} is missing: passes of Apple Wallet need it.`) : []
}

/** Null unless all variables are there. */
export function walletOf(given: Given): WalletSettings | null {
  const [passType, team, certificateFile, keyFile, wwdrFile] = NEEDED.map((name) => given[name])
  if (!passType || !team || !certificateFile || !keyFile || !wwdrFile) return null
  return {
    passType,
    team,
    certificateFile,
    keyFile,
    wwdrFile,
    keyPassphrase: given.WALLET_KEY_PASSPHRASE ?? null,
  }
}
