import { gzipSync } from 'node:zlib'

/** A page in both encodings that it is sent in. */
export interface HtmlPage {
  readonly text: string
  readonly gzipped: Buffer
}

export const toPage = (text: string): HtmlPage => ({ text, gzipped: gzipSync(text) })
