import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'

/** Plain text to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** Throws where the mail could not be handed over: try again. */
  send(mail: Mail): Promise<void>
}

/**
 * Writes each mail to a file of its own in `folder`, for whoever reads or sends it. Without a folder the log tells that
 * there was a mail, and neither to whom nor what it said.
 */
export function createMailer({ folder, log }: { folder: string | null; log: Logger }): Mailer {
  return {
    async send({ to, subject, text }) {
      if (folder === null) {
        log.warn({ subject }, 'no MAIL_FOLDER is set: a mail was not written')
        return
      }
      await mkdir(folder, { recursive: true })
      const path = join(
        folder,
        `${new Date().toISOString().replaceAll(':', '')}-${randomUUID().slice(0, 8)}.eml`,
      )
      const lines = [
        `Date: ${new Date().toUTCString()}`,
        `To: ${to}`,
        `Subject: ${encoded(subject)}`,
        'MIME-Version: 1.0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 8bit',
        '',
        ...text.split('\n'),
      ]
      // Whole or not at all, for whoever watches the folder.
      await writeFile(`${path}.part`, `${lines.join('\r\n')}\r\n`)
      await rename(`${path}.part`, path)
    },
  }
}

/** A header is ASCII; anything else is an encoded word (RFC 2047), which may not be longer than 75 characters. */
function encoded(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((part) => `=?utf-8?B?${Buffer.from(part).toString('base64')}?=`).join('\r\n ')
}
