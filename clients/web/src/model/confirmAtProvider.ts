/**
 * Confirms a payment in the provider's window over this page. The server then reads the outcome from the provider, and need
 * not wait for the provider's message. Throws where the window cannot be shown.
 */
export async function confirmAtProvider(
  orderId: string,
  publishableKey: string,
  clientSecret: string,
): Promise<void> {
  try {
    const { confirmStripe } = await import('../payments/stripeForm.ts')
    await confirmStripe(publishableKey, clientSecret)
  } finally {
    await fetch(returnPath(orderId), { method: 'HEAD', redirect: 'manual' }).catch(() => undefined)
  }
}

/** The address to which a provider sends the buyer back. */
function returnPath(orderId: string): string {
  return `/payments/return/${encodeURIComponent(orderId)}`
}
