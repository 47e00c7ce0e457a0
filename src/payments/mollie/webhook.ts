import { BadWebhook, type ReadWebhook } from '../webhooks.ts'

/**
 * Reads Mollie's webhook, which is not signed and carries only an id. Any caller can send one. It costs a look into our database,
 * and a call to Mollie only where one of our orders has the payment.
 */
export const mollieWebhook: ReadWebhook = async ({ body }) => {
  const id = new URLSearchParams(body.toString()).get('id')
  if (id === null || !/^tr_\w{1,64}$/.test(id))
    throw new BadWebhook('The body must be "id=" and the id of a payment.')
  return id
}
