import type { Appearance, StripeElementLocale } from '@stripe/stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure/index.js'
import type { Money } from '../../../sdk/index.ts'

/** Stripe's Payment Element in a place of the page. */
export interface StripeForm {
  /** Returns the token of what the fan has entered. Throws an Error with Stripe's text for the fan. */
  read(): Promise<string>
  remove(): void
}

/** Longer than the script takes on a slow phone. Stripe.js then counts as blocked. */
const READY_WITHIN_MS = 20_000

/**
 * Loads Stripe.js from Stripe, as its terms require, and shows the Payment Element. The element shows before there is a
 * payment: the server makes one at the checkout. Throws where Stripe.js cannot be loaded or does not get ready.
 */
export async function createStripeForm(
  publishableKey: string,
  total: Money,
  place: HTMLElement,
): Promise<StripeForm> {
  const stripe = await loadStripe(publishableKey)
  if (!stripe) throw new Error()
  const elements = stripe.elements({
    mode: 'payment',
    ...stripeAmount(total),
    // As the server: cards, and the wallets that hold cards.
    allowedPaymentMethodTypes: ['card'],
    paymentMethodCreation: 'manual',
    captureMethod: 'manual',
    appearance: appearanceOf(place),
    locale: new Intl.Locale(document.documentElement.lang).language as StripeElementLocale,
  })
  const element = elements.create('payment', { layout: 'tabs' })
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error()), READY_WITHIN_MS)
    element.on('ready', () => {
      clearTimeout(timer)
      resolve()
    })
    element.on('loaderror', ({ error }) => {
      clearTimeout(timer)
      reject(new Error(error.message))
    })
    element.mount(place)
  }).catch((error) => {
    element.destroy()
    throw error
  })

  return {
    async read() {
      const { error: missing } = await elements.submit()
      if (missing) throw new Error(missing.message)
      const { paymentMethod, error } = await stripe.createPaymentMethod({ elements })
      if (error) throw new Error(error.message)
      return paymentMethod.id
    },
    remove: () => element.destroy(),
  }
}

/** Asks the fan what their bank asks for. The order has the outcome, that of a refusal too. Throws as `createStripeForm`. */
export async function confirmStripe(publishableKey: string, clientSecret: string): Promise<void> {
  const stripe = await loadStripe(publishableKey)
  await stripe?.handleNextAction({ clientSecret })
}

/**
 * The sum that a wallet shows, as Stripe counts it: src/payments/stripe/amounts.ts has the same rules for the charge, which is
 * the server's.
 */
function stripeAmount({ amount, currency }: Money): { amount: number; currency: string } {
  const factor = currency === 'ISK' || currency === 'UGX' ? 100 : currency === 'MGA' ? 0.01 : 1
  return { amount: Math.round(amount * factor), currency: currency.toLowerCase() }
}

/** The page's colours: the element is a frame, which the page's styles do not reach. */
function appearanceOf(place: HTMLElement): Appearance {
  const style = getComputedStyle(place)
  const color = (name: string) => style.getPropertyValue(name).trim()
  return {
    theme: 'stripe',
    variables: {
      colorPrimary: color('--go'),
      colorBackground: color('--sheet'),
      colorText: color('--ink'),
      colorTextSecondary: color('--muted'),
      colorDanger: color('--alert'),
      borderRadius: '10px',
      fontFamily: style.fontFamily,
    },
  }
}
