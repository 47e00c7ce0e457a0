import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type NodeCompiler as Compiler, NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import { correction, generate } from 'lean-qr'
import { toSvgSource } from 'lean-qr/extras/svg'
import { fontFiles } from './fonts.ts'
import type { TicketSheet } from './ticketSheet.ts'

const TEMPLATE = new URL('tickets.typ', import.meta.url)

/** Compilations whose intermediate results Typst keeps. More would only take memory: no two orders have the same texts. */
const KEPT_COMPILATIONS = 4

/** Returns a function that sets tickets as PDF. It takes this thread for some 11 ms a call (`bench/ticketPdf.ts`). */
export function createTypst(): (sheet: TicketSheet) => Buffer {
  const compiler: Compiler = NodeCompiler.create({
    workspace: fileURLToPath(new URL('.', TEMPLATE)),
    fontArgs: [{ fontPaths: fontFiles() }],
  })
  const template = readFileSync(TEMPLATE, 'utf8')

  return (sheet) => {
    const compiled = compiler.compile({
      mainFileContent: template,
      inputs: { data: JSON.stringify(withCodes(sheet)) },
    })
    const fault = compiled.takeError()
    const document = compiled.result
    if (fault || !document)
      throw new Error(
        `the tickets could not be set: ${JSON.stringify(fault && compiler.fetchDiagnostics(fault))}`,
      )
    try {
      return toPdf(compiler, document)
    } finally {
      compiler.evictCache(KEPT_COMPILATIONS)
    }
  }
}

/** A long code takes as long as the page, so that this thread makes it too. */
function withCodes(sheet: TicketSheet) {
  return { ...sheet, tickets: sheet.tickets.map((ticket) => ({ ...ticket, code: svgOf(ticket.barcode) })) }
}

/** With error correction M: a code on paper may be folded or stained. The quiet zone is part of the picture. */
function svgOf(barcode: string): string {
  return toSvgSource(generate(barcode, { minCorrectionLevel: correction.M }), { on: 'black', off: 'white' })
}

/**
 * PDF/UA-1, which readers for blind people can read. That standard forbids a character for which no font has a sign; with one, the
 * file has the same tags without the promise.
 */
function toPdf(compiler: Compiler, document: Parameters<Compiler['pdf']>[0]): Buffer {
  try {
    return compiler.pdf(document, { pdfStandard: 'ua-1' })
  } catch {
    return compiler.pdf(document)
  }
}
