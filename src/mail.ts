import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'

/** Plain text to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** Throws where the mail could not be handed over: the caller may try again. */
  send(mail: Mail): Promise<void>
}

export interface MailerOptions {
  /** The mail server, such as smtps://user:password@host; null: mails are written to the folder. */
  smtpUrl: string | null
  /** The folder for mails, one file each; null and no server: mails are not sent. */
  folder: string | null
  from: string
  log: Logger
}

/** A mail server that works answers sooner than this. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 }

/**
 * A folder that the mailer makes, and each mail in it, are readable by this user alone.
 *
 * Without server and folder the log records the subject of each mail, and neither its address nor its text.
 */
export function createMailer({ smtpUrl, folder, from, log }: MailerOptions): Mailer {
  if (smtpUrl !== null) {
    const transport = createTransport({ url: smtpUrl, ...TIMEOUTS }, { from })
    return {
      async send(mail) {
        await transport.sendMail(mail)
      },
    }
  }
  if (folder !== null) {
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' }, { from })
    return {
      async send(mail) {
        const { message } = await transport.sendMail(mail)
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID().slice(0, 8)}`
        // The rename makes the file appear whole, for a program that watches the folder.
        await writeFile(join(folder, `${name}.part`), message as Buffer, { mode: 0o600 })
        await rename(join(folder, `${name}.part`), join(folder, `${name}.eml`))
      },
    }
  }
  return {
    async send({ subject }) {
      log.warn({ subject }, 'neither SMTP_URL nor MAIL_FOLDER is set: a mail was not sent')
    },
  }
}
