/** A webhook's request is not its provider's: the signature is missing, wrong or old, or the body has another form. */
export class BadWebhook extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadWebhook'
  }
}

export interface WebhookRequest {
  /** The bytes as they arrived: a signature covers them. */
  body: Buffer
  /** By their names in small letters. */
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Returns the intent that a provider's webhook is about; null where it is about something else. It says only that the intent
 * may have changed: the caller reads the intent from the provider. Throws BadWebhook.
 */
export type ReadWebhook = (request: WebhookRequest) => Promise<string | null>
