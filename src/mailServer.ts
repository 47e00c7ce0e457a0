import { createTransport } from 'nodemailer'

/** Throws where the mail server does not answer within five seconds, or refuses the user or the password. Sends no mail. */
export async function requireMailServer(smtpUrl: string): Promise<void> {
  const patience = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000 }
  const transport = createTransport({ url: smtpUrl, ...patience })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}
