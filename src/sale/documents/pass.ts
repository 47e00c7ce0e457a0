import { readFileSync } from 'node:fs'
import { PKPass } from 'passkit-generator'
import type { WalletCertificates } from './wallet.ts'

/** A ticket as a pass of Apple Wallet. */
export interface PassSheet {
  readonly ticketId: string
  readonly orderId: string
  readonly organization: string
  readonly event: string
  /** ISO 8601: the phone shows the pass by itself around this time. */
  readonly startsAt: string
  readonly place: { readonly latitude: number; readonly longitude: number } | null
  readonly barcode: string
  /** The front: label and value. The first one is the largest. */
  readonly primary: Fact
  readonly secondary: readonly Fact[]
  readonly auxiliary: readonly Fact[]
  readonly back: readonly Fact[]
}

export type Fact = readonly [label: string, value: string]

const ICONS = ['icon.png', 'icon@2x.png', 'icon@3x.png']

/** Returns a signed pass. It takes this thread for some tens of milliseconds: the signature is RSA in JavaScript. */
export function makePass(sheet: PassSheet, { passType, team, ...certificates }: WalletCertificates): Buffer {
  const pass = new PKPass(
    Object.fromEntries(ICONS.map((name) => [name, readFileSync(new URL(`icons/${name}`, import.meta.url))])),
    certificates,
    {
      serialNumber: sheet.ticketId,
      groupingIdentifier: sheet.orderId,
      passTypeIdentifier: passType,
      teamIdentifier: team,
      organizationName: sheet.organization,
      description: sheet.event,
      backgroundColor: 'rgb(0, 98, 91)',
      foregroundColor: 'rgb(255, 255, 255)',
      labelColor: 'rgb(255, 255, 255)',
    },
  )
  pass.type = 'eventTicket'
  pass.primaryFields.push(toField('event', sheet.primary))
  for (const area of ['secondary', 'auxiliary', 'back'] as const)
    for (const [i, fact] of sheet[area].entries()) pass[`${area}Fields`].push(toField(`${area}${i}`, fact))
  pass.setBarcodes({
    format: 'PKBarcodeFormatQR',
    message: sheet.barcode,
    messageEncoding: 'iso-8859-1',
  })
  pass.setRelevantDate(new Date(sheet.startsAt))
  if (sheet.place) pass.setLocations(sheet.place)
  return pass.getAsBuffer()
}

const toField = (key: string, [label, value]: Fact) => ({ key, label, value })
