import type { Page } from 'playwright-core'
import type { FakeStripe } from '../support/fakeStripe/index.ts'

/*
 * js.stripe.com cannot be reached by tests, and its terms forbid a copy. This stand-in has the calls that the page makes, with
 * the card's number in a frame of js.stripe.com as Stripe.js has it. So the browser enforces the content security policy. A
 * real account still has to confirm what it only imitates: docs/payments.md lists it.
 */

export interface StripeJs {
  /** A blocker, or a network that does not let Stripe.js through. */
  isBlocked: boolean
  /** What comes of the bank's question in a window over the page. */
  confirms: 'passed' | 'failed' | 'never'
  /** How often the bank's window was opened. */
  asked: number
}

/** Serves Stripe.js to a page. The card's number is the name of a card of the fake Stripe. */
export async function stripeJs(page: Page, stripe: FakeStripe): Promise<StripeJs> {
  const state: StripeJs = { isBlocked: false, confirms: 'passed', asked: 0 }
  await page.exposeFunction('standInConfirms', (clientSecret: string) => {
    state.asked++
    if (state.confirms === 'never') return new Promise(() => undefined)
    stripe.authenticate(clientSecret.split('_secret_')[0] as string, state.confirms)
    return undefined
  })
  await page.route('https://js.stripe.com/**', (route) => {
    if (state.isBlocked) return route.abort()
    return route.request().url().endsWith('/frame')
      ? route.fulfill({ contentType: 'text/html', body: FRAME })
      : route.fulfill({ contentType: 'text/javascript', body: SCRIPT })
  })
  return state
}

const FRAME = `<!doctype html><html lang="en"><title>Card</title><label>Card number <input></label>
<script>document.querySelector('input').oninput = ({ target }) => parent.postMessage(target.value, '*')</script>`

const SCRIPT = `window.Stripe = (key) => {
  if (!key.startsWith('pk_')) throw new Error('no key')
  let card = ''
  addEventListener('message', ({ data, origin }) => { if (origin === 'https://js.stripe.com') card = data })
  return {
    _registerWrapper() {},
    elements: ({ mode, amount, currency, allowedPaymentMethodTypes, paymentMethodCreation, captureMethod }) => {
      if (allowedPaymentMethodTypes.join() !== 'card') throw new Error('bad types')
      if (mode !== 'payment' || !(amount > 0) || currency !== 'eur') throw new Error('bad amount')
      if (paymentMethodCreation !== 'manual' || captureMethod !== 'manual') throw new Error('bad mode')
      return {
        create() {
          const on = {}
          let frame
          return {
            on(name, run) { on[name] = run },
            mount(place) {
              frame = Object.assign(document.createElement('iframe'), { src: 'https://js.stripe.com/frame', title: 'Card' })
              frame.onload = () => on.ready?.()
              place.append(frame)
            },
            destroy() { frame?.remove() },
          }
        },
        submit: async () => (card ? {} : { error: { message: 'Your card number is incomplete.' } }),
      }
    },
    createPaymentMethod: async () => ({ paymentMethod: { id: card } }),
    handleNextAction: ({ clientSecret }) => window.standInConfirms(clientSecret),
  }
}`
