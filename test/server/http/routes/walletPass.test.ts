import { createHash, createVerify } from 'node:crypto'
import { ContentInfo, SignedData } from '@peculiar/asn1-cms'
import { AsnConvert } from '@peculiar/asn1-schema'
import { expect, test } from 'vitest'
import type { OrderView } from '../../../../src/sale/orders/orders.ts'
import { testAccount } from '../../../support/checkout.ts'
import { insertEvent } from '../../../support/event.ts'
import { ask, isHold } from '../../../support/holds.ts'
import { testServer } from '../../../support/server.ts'
import { walletCertificates } from '../../../support/walletCertificates.ts'

const { authority, certificate, variables } = await walletCertificates()
const { app, db, url, ask: query, token } = await testServer(variables)
const event = await insertEvent(db)

/** The files of an archive that compresses none of them. */
function unpack(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (let at = 0; archive.readUInt32LE(at) === 0x04034b50; ) {
    const [size, name, extra] = [
      archive.readUInt32LE(at + 18),
      archive.readUInt16LE(at + 26),
      archive.readUInt16LE(at + 28),
    ]
    const begin = at + 30 + name + extra
    files.set(archive.toString('utf8', at + 30, at + 30 + name), archive.subarray(begin, begin + size))
    at = begin + size
  }
  return files
}

/** True where the signature is of these bytes, by the certificate of the configuration. */
function isSigned(bytes: Buffer, signature: Buffer): boolean {
  const { content } = AsnConvert.parse(signature, ContentInfo)
  const { signerInfos, certificates } = AsnConvert.parse(content, SignedData)
  const [signer] = signerInfos
  const attributes = signer?.signedAttrs ?? []
  const digest = attributes.find(({ attrType }) => attrType === '1.2.840.113549.1.9.4')?.attrValues[0]
  const hash = signer?.digestAlgorithm.algorithm === '1.3.14.3.2.26' ? 'sha1' : 'sha256'
  expect(certificates).toHaveLength(2)
  // RFC 5652, 5.4: the attributes are signed as a SET, in their order in the message.
  const raw = attributes.map((attribute) => Buffer.from(AsnConvert.serialize(attribute)))
  const body = Buffer.concat(raw)
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255]
  const signed = Buffer.concat([Buffer.from([0x31, ...length]), body])
  const isOfBytes = Buffer.from(digest as ArrayBuffer)
    .subarray(2)
    .equals(createHash(hash).update(bytes).digest())
  return (
    isOfBytes &&
    createVerify(hash)
      .update(signed)
      .verify(certificate.toString('pem'), Buffer.from(signer?.signature.buffer as ArrayBuffer))
  )
}

test('a ticket has a pass for Apple Wallet from the capture on, signed by the configured certificate', async () => {
  expect(authority.subject).toBe(certificate.issuer)
  const account = testAccount()
  const hold = await ask(app.holds, account, event, [1])
  if (!isHold(hold)) throw new Error('no hold')
  const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'key', locale: 'fr' }
  const { id } = (await app.checkout.checkout(account, input)) as OrderView
  const read = async () => {
    const { data } = await query(
      'query ($id: ID!) { order(id: $id) { tickets { id walletUrl barcode } } }',
      { id },
      { token: await token(account.id) },
    )
    return data.order.tickets[0] as { id: string; walletUrl: string | null; barcode: string }
  }
  expect((await read()).walletUrl).toBeNull()
  await app.checkout.capture(id)
  const ticket = await read()
  const { pathname, search } = new URL(ticket.walletUrl as string)
  const answer = await fetch(`${url}${pathname}${search}`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/vnd.apple.pkpass'])

  const files = unpack(Buffer.from(await answer.arrayBuffer()))
  const pass = JSON.parse(String(files.get('pass.json')))
  expect(pass).toMatchObject({
    formatVersion: 1,
    serialNumber: ticket.id,
    passTypeIdentifier: 'pass.com.example.tickets',
    teamIdentifier: 'TEAM123456',
    description: 'Test concert',
    barcodes: [{ format: 'PKBarcodeFormatQR', message: ticket.barcode }],
    eventTicket: {
      primaryFields: [{ value: 'Test concert' }],
      auxiliaryFields: [{ label: 'Bloc' }, { label: 'Rang' }, { label: 'Place' }],
    },
  })
  const manifest = files.get('manifest.json') as Buffer
  for (const [name, digest] of Object.entries(JSON.parse(String(manifest))))
    expect([
      name,
      createHash('sha1')
        .update(files.get(name) as Buffer)
        .digest('hex'),
    ]).toEqual([name, digest])
  expect(isSigned(manifest, files.get('signature') as Buffer)).toBe(true)
  expect(isSigned(Buffer.from('another'), files.get('signature') as Buffer)).toBe(false)
  expect((await fetch(`${url}${pathname.replace(/_\d+\//, '_1000/')}${search}`)).status).toBe(403)
})
