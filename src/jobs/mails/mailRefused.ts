import { MailRefused } from '../../mail.ts'
import { FailedForGood } from '../kit.ts'

/** Runs work that sends a mail. Throws FailedForGood where the mail was refused for good: another attempt would be refused as well. */
export async function failForGoodIfRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MailRefused) throw new FailedForGood(error.message, { cause: error })
    throw error
  }
}
