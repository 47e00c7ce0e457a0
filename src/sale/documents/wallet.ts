import { readFileSync } from 'node:fs'
import { StartFailed } from '../../startFailed.ts'
import type { WalletSettings } from '../../walletSettings.ts'

/** What signs the passes of Apple Wallet. */
export interface WalletCertificates {
  /** The identifiers that Apple gave: of the type of the passes, and of the team. */
  readonly passType: string
  readonly team: string
  /** PEM. */
  readonly signerCert: string
  readonly signerKey: string
  readonly signerKeyPassphrase?: string
  readonly wwdr: string
}

/** Reads the certificates that the configuration names; null where it names none. Throws StartFailed where a file cannot be read. */
export function readWalletCertificates(wallet: WalletSettings | null): WalletCertificates | null {
  if (!wallet) return null
  const { passType, team, certificateFile, keyFile, keyPassphrase, wwdrFile } = wallet
  const read = (variable: string, path: string) => {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      throw new StartFailed(`${variable}: cannot read ${path} (${(error as Error).message})`)
    }
  }
  return {
    passType,
    team,
    signerCert: read('WALLET_CERTIFICATE_FILE', certificateFile),
    signerKey: read('WALLET_KEY_FILE', keyFile),
    ...(keyPassphrase === null ? {} : { signerKeyPassphrase: keyPassphrase }),
    wwdr: read('WALLET_WWDR_FILE', wwdrFile),
  }
}
