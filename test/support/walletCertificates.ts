// The package of the certificates needs it before its own import.
import 'reflect-metadata'

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  PemConverter,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { temporaryFolder } from './folder.ts'

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: Uint8Array.of(1, 0, 1),
  modulusLength: 2_048,
}

/** A chain as Apple's: an authority, and the certificate that it gave for a type of passes. Returns the variables that name it. */
export async function walletCertificates() {
  const folder = temporaryFolder('wallet')
  const newKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const [authorityKeys, keys] = [await newKeys(), await newKeys()]
  const dates = { notBefore: new Date(Date.now() - 86_400_000), notAfter: new Date(Date.now() + 86_400_000) }
  const authority = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=Test authority, O=Apple Inc.',
    ...dates,
    keys: authorityKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [new BasicConstraintsExtension(true, 1, true)],
  })
  const certificate: X509Certificate = await X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=Pass Type ID: pass.com.example.tickets, OU=TEAM123456',
    issuer: authority.subject,
    ...dates,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: ALGORITHM,
  })
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return {
    authority,
    certificate,
    variables: {
      WALLET_PASS_TYPE: 'pass.com.example.tickets',
      WALLET_TEAM: 'TEAM123456',
      WALLET_CERTIFICATE_FILE: write('certificate.pem', certificate.toString('pem')),
      WALLET_KEY_FILE: write('key.pem', key),
      WALLET_WWDR_FILE: write('wwdr.pem', authority.toString('pem')),
    },
  }
}
