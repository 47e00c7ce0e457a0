import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport, type NodemailerError } from 'nodemailer'
import type { Logger } from 'pino'

export interface MailAttachment {
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

/** A mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The same in HTML. */
  readonly html?: string
  readonly attachments?: readonly MailAttachment[]
  /** A BCP 47 tag. */
  readonly language?: string
  /**
   * Names the mail, for example by its order: mail servers and programs that receive a mail with the same id twice may show it
   * once.
   */
  readonly id?: string
}

export interface Mailer {
  /**
   * Throws MailRefused where no attempt can succeed, and another error where the mail could not be handed over: the caller may
   * try again.
   */
  send(mail: Mail): Promise<void>
}

/** The mail's server refuses the recipient or the mail for good. */
export class MailRefused extends Error {
  override name = 'MailRefused'
}

export interface MailerOptions {
  /** The mail server, such as smtps://user:password@host; null: mails are written to the folder. */
  smtpUrl: string | null
  /** The folder for mails, one file each; null and no server: mails are not sent. */
  folder: string | null
  /** How many mails the folder keeps: the oldest are deleted. Null: all. */
  keep?: number | null
  from: string
  log: Logger
}

/** A mail server that works answers sooner than this. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 }
/** For a whole mail: a server may answer each command just in time. */
const DEADLINE_MS = 45_000

/** Texts of a mail come from organizers and fans: none of them may name a file or an address to read. */
const CLOSED = { disableFileAccess: true, disableUrlAccess: true }

/**
 * A folder that the mailer makes, and each mail in it, are readable by this user alone.
 *
 * Without server and folder the log records the subject of each mail, and neither its address nor its text.
 */
export function createMailer({ smtpUrl, folder, keep = null, from, log }: MailerOptions): Mailer {
  // Part of the id, so that the server of the recipient finds its domain to be the sender's.
  const domain = addressOf(from).split('@')[1] ?? 'localhost'
  const message = ({ to, id, language, attachments = [], ...mail }: Mail) => ({
    ...mail,
    ...CLOSED,
    to: recipientOf(to),
    ...(id === undefined ? {} : { messageId: `<${id}@${domain}>` }),
    headers: {
      // RFC 3834: programs that answer mails answer none of these.
      'auto-submitted': 'auto-generated',
      ...(language === undefined ? {} : { 'content-language': language }),
    },
    attachments: attachments.map((attachment) => ({ ...attachment })),
  })

  if (smtpUrl !== null) {
    const transport = createTransport({ url: smtpUrl, ...TIMEOUTS }, { from })
    return {
      async send(mail) {
        const late = sleep(DEADLINE_MS, undefined, { ref: false }).then(() => {
          throw new Error(`the mail server took longer than ${DEADLINE_MS / 1_000} s`)
        })
        late.catch(() => {})
        const whole = message(mail)
        try {
          await Promise.race([transport.sendMail(whole), late])
        } catch (error) {
          throw isFinal(error as NodemailerError)
            ? new MailRefused((error as Error).message, { cause: error })
            : error
        }
      },
    }
  }
  if (folder !== null) {
    const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' }, { from })
    return {
      async send(mail) {
        const { message: bytes } = await transport.sendMail(message(mail))
        await mkdir(folder, { recursive: true, mode: 0o700 })
        const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID().slice(0, 8)}`
        // The rename makes the file appear whole, for a program that watches the folder.
        await writeFile(join(folder, `${name}.part`), bytes as Buffer, { mode: 0o600 })
        await rename(join(folder, `${name}.part`), join(folder, `${name}.eml`))
        if (keep !== null) await deleteOldest(folder, keep)
      },
    }
  }
  return {
    async send({ subject }) {
      log.warn({ subject }, 'neither SMTP_URL nor MAIL_FOLDER is set: a mail was not sent')
    },
  }
}

/**
 * True where a mail that `send` failed to hand over was certainly not taken: the server refused it, or the connection ended before
 * the text of the mail.
 */
export function wasNotTaken(error: unknown): boolean {
  const { responseCode, command } = error as Partial<NodemailerError>
  return (responseCode !== undefined && responseCode >= 400) || (command !== undefined && command !== 'DATA')
}

/**
 * True where the server refused the recipient or the mail for good. A server that refuses our sender or our password refuses every
 * mail until ops correct the configuration: those mails wait.
 */
function isFinal({ code, command, permanent = false }: NodemailerError): boolean {
  return permanent && (code === 'EMESSAGE' || command === 'RCPT TO' || command === 'DATA')
}

/** Returns the address of a sender such as `Box office <tickets@example.com>`. */
export function addressOf(from: string): string {
  return /([^@\s<>]+@[^@\s<>]+)>?\s*$/.exec(from)?.[1] ?? 'tickets@localhost'
}

/** An address as it is. Nodemailer would correct it, and the mail would go to another address than the one given. */
function recipientOf(address: string): { name: string; address: string } {
  if (!/^[^\s<>\p{Cc}]+@[^\s@<>\p{Cc}]+$/u.test(address))
    throw new MailRefused('the address is not well-formed')
  // As a text it could be a list of addresses.
  return { name: '', address }
}

/** The names begin with the time. Another process may delete the same files. */
async function deleteOldest(folder: string, keep: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort()
  const surplus = names.slice(0, Math.max(0, names.length - keep))
  await Promise.all(surplus.map((name) => rm(join(folder, name), { force: true })))
}
